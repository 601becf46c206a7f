"""NVIDIA's lane maps against tensor-layouts, which states CUTLASS's atoms as CuTe layouts: a second opinion."""

import re

import pytest
import tensor_layouts
from tensor_layouts import atoms_nv

from gpuemu import tensorcores

TYPES = {"F16": "f16", "F32": "f32", "BF16": "bf16", "TF32": "tf32", "F64": "f64", "S32": "s32", "S8": "s8", "S4": "s4"}
TYPES |= {"U1": "b1", "E4M3": "e4m3", "E5M2": "e5m2"}
MAJOR = {"TN": "row.col", "NT": "col.row", "NN": "col.col", "TT": "row.row"}
# B of this atom steps by 4 along k where the PTX ISA ("Matrix Fragments for mma.m16n8k32", 4 bits) has 8.
WRONG_THERE = {("SM80_16x8x32_S32S4S4S32_TN", "b")}


def same_instruction(atom):
    """Our instruction for one of its warp-level atoms, or None."""
    found = re.fullmatch(r"SM(70|75|80|89|90)_(\d+x\d+x\d+)_(\w+?)_(TN|NT|NN|TT)(?:_XORPOPC)?", atom)
    if not found or "C64" in atom:
        return None
    arch, shape, types, major = found.groups()
    sums, a, b, _ = (TYPES[x] for x in re.findall(r"TF32|BF16|F16|F32|F64|S32|S8|S4|U1|E\dM\d", types))
    m, n, k = shape.split("x")
    suffix = ".xor.popc" if a == "b1" else ""
    name = f"mma.sync.aligned.m{m}n{n}k{k}.{MAJOR[major]}.{sums}.{a}.{b}.{sums}{suffix}"
    return tensorcores.instruction(name, arch=f"sm_{arch}")


def thread_values(layout, rows):
    """[thread][value] -> [row, column] of a column-major operand."""
    threads, values = (tensor_layouts.size(tensor_layouts.mode(layout, i)) for i in (0, 1))
    return [[list(divmod(layout(t, v), rows)[::-1]) for v in range(values)] for t in range(threads)]


ATOMS = {name: mma for name in dir(atoms_nv) if name.startswith("SM") and (mma := same_instruction(name))}


@pytest.mark.parametrize("name", ATOMS)
def test_atom_has_the_same_lanes(name):
    mma, atom = ATOMS[name], getattr(atoms_nv, name)
    quad_pair = [0, 1, 2, 3, 16, 17, 18, 19] if mma.blocks > 1 else range(32)
    for operand, rows in (("a", mma.m), ("b", mma.n), ("c", mma.m)):
        ours = getattr(mma, operand).coordinates()[quad_pair][..., :2]
        theirs = thread_values(getattr(atom, f"{operand}_layout"), rows)
        if operand == "b":  # it stores B as N×K
            theirs = [[place[::-1] for place in held] for held in theirs]
        assert (ours.tolist() == theirs) == ((name, operand) not in WRONG_THERE)


def test_all_its_dense_warp_atoms_are_compared():
    assert len(ATOMS) == 39
