"""Fields that several forms share."""

from homeassistant.helpers.selector import (
    SelectSelector,
    SelectSelectorConfig,
    SelectSelectorMode,
    TextSelector,
    TextSelectorConfig,
    TextSelectorType,
)

from .const import CONF_RAISE

ADDRESS = TextSelector(TextSelectorConfig(type=TextSelectorType.URL))
CODE = TextSelector(TextSelectorConfig(type=TextSelectorType.TEXT, autocomplete="off"))
RAISE = SelectSelector(
    SelectSelectorConfig(options=["keep", "join", "whole"], translation_key=CONF_RAISE, mode=SelectSelectorMode.LIST)
)
