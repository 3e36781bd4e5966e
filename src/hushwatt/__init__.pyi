from hushwatt.errors import HushwattError as HushwattError
from hushwatt.evaluate.simulate import simulate as simulate
from hushwatt.fleet.dataframes import estimate as estimate
from hushwatt.fleet.dataframes import randomise as randomise
from hushwatt.fleet.result import Result as Result
from hushwatt.fleet.selection import compare as compare
from hushwatt.plan.appliance import Appliance as Appliance
from hushwatt.plan.plan import Plan as Plan
from hushwatt.plan.presets import preset as preset
from hushwatt.privacy.advice import advise as advise
from hushwatt.privacy.promise import promise as promise

__version__: str
NAMES: dict[str, str]
__all__ = [
    "Appliance",
    "HushwattError",
    "Plan",
    "Result",
    "__version__",
    "advise",
    "compare",
    "estimate",
    "preset",
    "promise",
    "randomise",
    "simulate",
]

Answer = Result  # its old name
