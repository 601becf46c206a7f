"""Record kernels that tinygrad 0.9.0 emits, with their inputs and what its own interpreter computes, as JSON test data.

Needs tinygrad 0.9.0 and Python 3.12 or newer (older memoryviews know no half): `python benchmarks/record_tinygrad.py`.
Each kernel becomes one file of `tests/data/tinygrad_kernels/`: its lines by the names of their enums, the launch, each
buffer before the launch, and the buffers after it.

tinygrad's interpreter keeps a constant of float32 as Python's double, which no GPU does: exp of −50 then differs by
5e-6. It is given the constants as float32 has them. Two of its faults cannot be mended so, and nothing that meets them
is recorded: it ignores the gate of an image's load, and rounds half only when it is stored.
"""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

OUT = Path(__file__).parent.parent / "tests" / "data" / "tinygrad_kernels"
RECIPES: dict[str, tuple[str, Callable[[Any, Any, Any], Any]]] = {}
"""Name → the environment variable that chooses the target, and what to compute from Tensor, dtypes and numpy."""


def recipe(target: str = "PYTHON") -> Callable[[Callable[[Any, Any, Any], Any]], Callable[[Any, Any, Any], Any]]:
    """Register a computation whose kernels are recorded."""

    def register(function: Callable[[Any, Any, Any], Any]) -> Callable[[Any, Any, Any], Any]:
        RECIPES[function.__name__] = target, function
        return function

    return register


def floats(np: Any, *shape: int) -> Any:
    """Small multiples of 1/8, all different in position: sums of products of them are exact in float32."""
    return (np.random.default_rng(sum(shape)).integers(-16, 17, shape) / 8).astype(np.float32)


def half_product(tensor: Any, dtypes: Any, np: Any) -> Any:
    a, b = (tensor(floats(np, 32, 32 + i).astype(np.float16)[:, :32]) for i in range(2))
    return a.matmul(b, acc_dtype=dtypes.float32)


@recipe("EMULATE_CUDA")
def matmul_half_cuda(tensor, dtypes, np):  # type: ignore[no-untyped-def]
    return half_product(tensor, dtypes, np)


@recipe("EMULATE_HSA")
def matmul_half_hsa(tensor, dtypes, np):  # type: ignore[no-untyped-def]
    return half_product(tensor, dtypes, np)


@recipe("EMULATE_METAL")
def matmul_half_metal(tensor, dtypes, np):  # type: ignore[no-untyped-def]
    return half_product(tensor, dtypes, np)


@recipe("EMULATE_METAL")
def matmul_float_metal(tensor, dtypes, np):  # type: ignore[no-untyped-def]
    return tensor(floats(np, 16, 24)) @ tensor(floats(np, 24, 16))


@recipe()
def matmul_float(tensor, dtypes, np):  # type: ignore[no-untyped-def]
    return tensor(floats(np, 12, 20)) @ tensor(floats(np, 20, 9))


@recipe()
def convolution(tensor, dtypes, np):  # type: ignore[no-untyped-def]
    return tensor(floats(np, 1, 3, 9, 9)).conv2d(tensor(floats(np, 4, 3, 3, 3)), padding=1)


@recipe()
def softmax(tensor, dtypes, np):  # type: ignore[no-untyped-def]
    return tensor(floats(np, 6, 10)).softmax()


@recipe()
def reduction(tensor, dtypes, np):  # type: ignore[no-untyped-def]
    return tensor(floats(np, 64, 65)).sum(axis=1)


@recipe()
def maximum(tensor, dtypes, np):  # type: ignore[no-untyped-def]
    return tensor(floats(np, 7, 33)).max()


@recipe()
def cumulative_sum(tensor, dtypes, np):  # type: ignore[no-untyped-def]
    return tensor(floats(np, 30)).cumsum()


@recipe()
def integer_casts(tensor, dtypes, np):  # type: ignore[no-untyped-def]
    return tensor(np.arange(-300, 300, 7).astype(np.int32)).cast(dtypes.int8).cast(dtypes.int64) * 3


@recipe()
def double(tensor, dtypes, np):  # type: ignore[no-untyped-def]
    return (tensor(floats(np, 5, 8).astype(np.float64)) * 1.1).exp().sum()


@recipe()
def padded_transpose(tensor, dtypes, np):  # type: ignore[no-untyped-def]
    return tensor(floats(np, 5, 7)).pad(((1, 2), (3, 0))).permute(1, 0).contiguous() + 1


@recipe()
def batch_norm(tensor, dtypes, np):  # type: ignore[no-untyped-def]
    weight, bias, mean = (tensor(floats(np, 3, 2 + i)[:, 0].copy()) for i in range(3))
    return tensor(floats(np, 2, 3, 4, 4)).batchnorm(weight, bias, mean, tensor(abs(floats(np, 3, 9)[:, 0]) + 1))


@recipe()
def largest_place(tensor, dtypes, np):  # type: ignore[no-untyped-def]
    return tensor(floats(np, 6, 17)).argmax(axis=1)


@recipe()
def transposed_convolution(tensor, dtypes, np):  # type: ignore[no-untyped-def]
    return tensor(floats(np, 1, 2, 4, 4)).conv_transpose2d(tensor(floats(np, 2, 2, 3, 3)), stride=2, padding=1)


@recipe()
def variable_rows(tensor, dtypes, np):  # type: ignore[no-untyped-def]
    from tinygrad import Variable

    return (tensor(floats(np, 4, 5)).reshape(Variable("rows", 1, 10).bind(4), 5) + 1).sum(axis=0)


@recipe("IMAGE=2")
def image_product(tensor, dtypes, np):  # type: ignore[no-untyped-def]
    return tensor(floats(np, 16, 16)) @ tensor(floats(np, 16, 17)[:, :16])


@recipe("EMULATE_CUDA")
def matmul_half_sums_cuda(tensor, dtypes, np):  # type: ignore[no-untyped-def]
    a, b = (tensor(floats(np, 16, 32 + i).astype(np.float16)[:, :16]) for i in range(2))
    return a.matmul(b, acc_dtype=dtypes.half)


@recipe()
def exponential(tensor, dtypes, np):  # type: ignore[no-untyped-def]
    return (tensor(floats(np, 4, 33)) * 25).exp()


@recipe()
def causal_attention(tensor, dtypes, np):  # type: ignore[no-untyped-def]
    query, key, value = (tensor(floats(np, 2, 6, 8 + i)[:, :, :8]) for i in range(3))
    return query.scaled_dot_product_attention(key, value, is_causal=True)


@recipe()
def layer_norm(tensor, dtypes, np):  # type: ignore[no-untyped-def]
    return tensor(floats(np, 3, 33)).layernorm()


@recipe()
def grouped_convolution(tensor, dtypes, np):  # type: ignore[no-untyped-def]
    return tensor(floats(np, 1, 4, 9, 9)).conv2d(tensor(floats(np, 6, 2, 3, 3)), groups=2, stride=2, dilation=2)


@recipe()
def max_pool(tensor, dtypes, np):  # type: ignore[no-untyped-def]
    return tensor(floats(np, 1, 2, 9, 9)).max_pool2d((3, 3), stride=2)


@recipe()
def rows_by_index(tensor, dtypes, np):  # type: ignore[no-untyped-def]
    return tensor(floats(np, 10, 5))[tensor(np.array([3, -1, 0, 9, 3], np.int32))]


@recipe()
def truncated_quotients(tensor, dtypes, np):  # type: ignore[no-untyped-def]
    return tensor(np.arange(-20, 20).astype(np.int32)).div(
        tensor(np.array([3, -3, 7, -7] * 10, np.int32)), upcast=False
    )


@recipe()
def bools(tensor, dtypes, np):  # type: ignore[no-untyped-def]
    x, y = (tensor(floats(np, 40, i)[:, 0] > 0) for i in (1, 2))
    return (x * y).xor(x + y).reshape(8, 5).max(axis=1)


@recipe()
def byte_arithmetic(tensor, dtypes, np):  # type: ignore[no-untyped-def]
    x = tensor(np.arange(0, 256, 5).astype(np.uint8))
    return (x * x + 7).cast(dtypes.int8).cast(dtypes.float32)


@recipe()
def grouped_sum(tensor, dtypes, np):  # type: ignore[no-untyped-def]
    return tensor(floats(np, 1, 2048)).sum()


@recipe()
def variable_softmax(tensor, dtypes, np):  # type: ignore[no-untyped-def]
    from tinygrad import Variable

    return tensor(floats(np, 7, 4)).reshape(Variable("rows", 1, 10).bind(7), 4).softmax(axis=1).sum(axis=0)


@recipe("EMULATE_CUDA")
def matmul_half_batched_cuda(tensor, dtypes, np):  # type: ignore[no-untyped-def]
    a, b = (tensor(floats(np, 2, 16, 32 + i).astype(np.float16)[:, :, :16]) for i in range(2))
    return a.matmul(b, acc_dtype=dtypes.float32)


def json_arg(arg: Any) -> Any:
    """An argument as JSON: enums by name, dtypes by name, floats that JSON cannot hold as {"float": text},
    variables by name, expressions of them as text."""
    if isinstance(arg, tuple | list):
        return [json_arg(x) for x in arg]
    if arg is None or isinstance(arg, bool | int | str):
        return arg
    if isinstance(arg, float):
        return {"float": repr(arg)}
    if hasattr(arg, "fmt"):
        return {"dtype": arg.name}
    if hasattr(arg, "expr"):
        return arg.expr
    if hasattr(arg, "render"):
        return arg.render()
    return {"enum": arg.name}


def json_dtype(dtype: Any) -> Any:
    """A dtype as [name of the scalar, count], an image as [name, count, shape], or null."""
    if dtype is None:
        return None
    if hasattr(dtype, "shape"):
        return [dtype.name, dtype.count, list(dtype.shape)]
    scalar = dtype.scalar() if hasattr(dtype, "scalar") else dtype
    return [scalar.name, dtype.count]


def with_constants_of_float32(np: Any, line: Any) -> Any:
    """A line of tinygrad's interpreter, where a constant of float32 is a number that float32 has."""
    uop, dtype, sources, arg = line
    if uop.name != "CONST" or not isinstance(arg, float) or dtype.name[:5] != "float":
        return line
    return uop, dtype, sources, float(np.float32(arg))


def record(name: str) -> None:
    """Run one recipe in this process, and write each kernel that it launched."""
    import numpy as np
    from tinygrad import Tensor, dtypes
    from tinygrad.runtime import ops_python

    lists: dict[bytes, list[Any]] = {}
    launches: list[dict[str, Any]] = []
    render, call = ops_python.PythonRenderer.render, ops_python.PythonProgram.__call__

    def recording_render(self: Any, kernel: str, uops: Any) -> str:
        text = render(self, kernel, uops)
        lines = [(u.uop.name, json_dtype(u.dtype), [uops.uops.index(v) for v in u.vin], json_arg(u.arg)) for u in uops]
        lists[ops_python.base64.b64decode(text)] = [kernel, lines]
        return text

    def recording_call(self: Any, *buffers: Any, **launch: Any) -> float:
        library = next(lib for lib in lists if self.uops == ops_python.pickle.loads(lib))
        self.uops = [with_constants_of_float32(np, line) for line in self.uops]
        before = [bytes(buffer).hex() for buffer in buffers]
        seconds = call(self, *buffers, **launch)
        kernel, lines = lists[library]
        launches.append(
            {
                "kernel": kernel,
                "source": "tinygrad 0.9.0",
                "lines": lines,
                "global_size": list(launch.get("global_size") or (1, 1, 1)),
                "local_size": list(launch.get("local_size") or (1, 1, 1)),
                "vals": list(launch.get("vals", ())),
                "before": before,
                "after": [bytes(buffer).hex() for buffer in buffers],
            }
        )
        return float(seconds)

    ops_python.PythonRenderer.render, ops_python.PythonProgram.__call__ = recording_render, recording_call
    RECIPES[name][1](Tensor, dtypes, np).realize()
    OUT.mkdir(parents=True, exist_ok=True)
    for number, launch in enumerate(launches):
        path = OUT / (f"{name}.json" if len(launches) == 1 else f"{name}_{number}.json")
        lines = ",\n".join("  " + json.dumps(line) for line in launch.pop("lines"))
        rest = json.dumps(launch)[1:]
        path.write_text('{"lines": [\n' + lines + "\n],\n" + rest + "\n")


def main() -> None:
    """Each recipe in a process of its own, as the target is chosen once a process."""
    if len(sys.argv) > 1:
        record(sys.argv[1])
        return
    for name, (target, _) in RECIPES.items():
        variable, _, value = target.partition("=")
        environment = {**os.environ, "PYTHON": "1", variable: value or "1"}
        subprocess.run([sys.executable, __file__, name], env=environment, check=True)  # noqa: S603


if __name__ == "__main__":
    main()
