"""How hypothesis runs here: without deadlines, and on CI with the same examples for the same code.

Fresh examples are drawn on people's machines and by `make fuzz`, where a new finding meets somebody who can look at it.
"""

import os

from hypothesis import settings

settings.register_profile("here", deadline=None)
settings.register_profile("ci", deadline=None, derandomize=True)
settings.load_profile("ci" if os.environ.get("CI") == "true" else "here")
