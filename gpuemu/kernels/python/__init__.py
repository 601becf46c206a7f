"""Python functions as kernels: their source is parsed, never run, and becomes UOps.

`source` reads a function and its names, `scopes` says which of its variables change, `types` how types meet, `names`
what a name may stand for. `expressions`, `statements`, `iteration` and `indexing` translate. What a kernel may call is
in `intrinsics`, `warps`, `bits`, `fragments` (tensor cores), `functions` and `mathematics`. `launch` binds arguments
and runs; `host` has arrays and streams.
The face that people use is `gpuemu.cuda`.
"""
