"""Shares of homes: how many use more than so many watts, or an appliance at all, where a plan's levels tell."""
