"""Apple's lane maps against the formulas of the public projects that agree on them."""

from gpuemu import tensorcores

SIMDGROUP = tensorcores.instruction("simdgroup_multiply_accumulate.8x8x8")
FRAGMENT = tensorcores.instruction("nax_fragment.16x16")


def quads(lane, element):
    """MLX's get_coord for 8×8: by quads of lanes."""
    quad = lane // 4
    return [(quad & 4) + lane // 2 % 4, (quad & 2) * 2 + lane % 2 * 2 + element]


def morton(lane, element):
    """The same as a walk in Morton order: the bits of the lane number alternate between row and column."""
    pair = (lane >> 0 & 1) | (lane >> 3 & 1) << 1
    line = (lane >> 1 & 3) | (lane >> 4 & 1) << 2
    return [line, pair * 2 + element]


def test_8x8_is_the_same_for_all_operands_and_as_two_descriptions_say():
    for operand in "abcd":
        got = getattr(SIMDGROUP, operand).coordinates().tolist()
        assert got == [[quads(lane, e) for e in range(2)] for lane in range(32)]
        assert got == [[morton(lane, e) for e in range(2)] for lane in range(32)]


def test_16x16_fragment_holds_four_columns_in_each_of_two_rows():
    want = []
    for lane in range(32):
        quad = lane // 4
        line, first = (quad & 4) | (lane // 2 & 3), ((quad & 2) | (lane & 1)) * 4
        want.append([[line + below, first + i] for below in (0, 8) for i in range(4)])
    for operand in "abcd":
        assert FRAGMENT.maps[operand].coordinates().tolist() == want


def test_16x16_fragment_says_that_one_source_gives_it():
    assert FRAGMENT.confidence == "single source"
    assert SIMDGROUP.confidence == "high"


def test_registers_are_the_elements_of_a_thread():
    assert SIMDGROUP.a.registers == ("e0", "e1")
