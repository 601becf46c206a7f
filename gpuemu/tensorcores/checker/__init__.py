"""What is wrong with the fragment that you loaded: the first wrong place, the likely mistake, and its fix.

>>> check_fragment("m16n8k16", "b", ("2*(lane%4) + i%2 + 8*(i//2)", "lane//4"))
<Diagnosis m16n8k16.f32.f16 b: right>
"""

from gpuemu.tensorcores.checker.diagnosis import (
    Departure,
    Diagnosis,
    ProductDiagnosis,
    check_fragment,
    check_product,
)

__all__ = ["Departure", "Diagnosis", "ProductDiagnosis", "check_fragment", "check_product"]
