"""Names that several files share."""

import logging
from datetime import timedelta

DOMAIN = "hushwatt"
FOLDER = "hushwatt"  # inside the configuration folder: ledger, caps, sources
LOGGER = logging.getLogger(__package__)

CONF_ADDRESS = "address"
CONF_AGREE = "agree"
CONF_CODE = "code"
CONF_HOME = "home"  # the home's random name
CONF_KEY = "key"
CONF_PLAN = "plan"  # the plan's id
CONF_RAISE = "raise"

REFRESH = timedelta(seconds=10)  # between two looks at the ledger
CONFIRM = timedelta(seconds=30)  # between two words to the agent that Home Assistant still stands by its states
