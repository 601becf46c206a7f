"""Folders of recorded results: what is compared, and what is said where something is missing."""

import json
from pathlib import Path

import numpy as np
import pytest

from gpuemu.errors import UnitError
from gpuemu.tensorcores.arithmetic.recorded import compare

VECTORS = Path(__file__).parent.parent / "data" / "tensor_core_vectors"
ENTRY = {"file": "one.npz", "gpu": "A100", "input": "fp16", "output": "fp32", "path": "mma"}


def write(folder, entry, **arrays):
    (folder / "INDEX.json").write_text(json.dumps([entry]))
    if arrays:
        np.savez(folder / "one.npz", **{name: np.float32(values) for name, values in arrays.items()})


def test_all_recorded_sets_are_reproduced_to_the_bit():
    sets = compare(VECTORS)
    assert len(sets) == 48
    assert [str(one) for one in sets if one.same != one.rows] == []


def test_another_unit_does_not_reproduce_them():
    sets = [one for one in compare(VECTORS, "exact") if one.gpu == "Ada" and one.inputs == "e4m3"]
    assert sets
    assert all(one.same < one.rows for one in sets)


def test_first_difference_is_named(tmp_path):
    write(tmp_path, ENTRY, a=[[1, 2], [1, 2]], b=[[1, 1], [1, 1]], c=[0, 0], d=[3, 4])
    (one,) = compare(tmp_path)
    assert str(one) == "A100: fp16 to fp32 by mma: 1 of 2; row 1: 3.0, recorded 4.0"


def test_sign_of_zero_counts(tmp_path):
    write(tmp_path, ENTRY, a=[[0.0]], b=[[1.0]], c=[0.0], d=[-0.0])
    (one,) = compare(tmp_path, "exact")
    assert str(one) == "A100 against exact: fp16 to fp32 by mma: 0 of 1; row 0: 0.0, recorded -0.0"


def check(message, folder):
    with pytest.raises(UnitError) as caught:
        compare(folder)
    assert str(caught.value) == message


def test_folder_without_an_index(tmp_path):
    check(f"vectors {tmp_path.name!r}: no INDEX.json lies in that folder; it lists the sets", tmp_path)


def test_entry_that_lacks_a_key(tmp_path):
    write(tmp_path, {"file": "one.npz", "gpu": "A100"})
    check(
        f"vectors {tmp_path.name!r}: entry {{'file': 'one.npz', 'gpu': 'A100'}} lacks input, output, path; "
        "expected file, gpu, input, output, path",
        tmp_path,
    )


def test_file_that_is_not_there(tmp_path):
    write(tmp_path, ENTRY)
    check(f"vectors {tmp_path.name!r}: INDEX.json names 'one.npz', which is not there", tmp_path)


def test_file_that_lacks_an_array(tmp_path):
    write(tmp_path, ENTRY, a=[[1]], b=[[1]])
    check("vectors 'one.npz': no array c, d; expected a, b, c and d", tmp_path)
