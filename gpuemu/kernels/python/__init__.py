"""Python functions as kernels: their source is parsed, never run, and becomes UOps.

`source` reads a function and its names, `scopes` says which of its variables change, `types` how types meet,
`expressions`, `statements` and `indexing` translate, `intrinsics` and `functions` hold what a kernel may call,
`fragments` its tensor cores, `launch` binds arguments and runs.
The face that people use is `gpuemu.cuda`.
"""
