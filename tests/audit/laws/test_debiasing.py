"""Claims C3 and C4: what is worked back is right on average."""

import pytest

from hushwatt.audit.laws.debiasing import audit_debias, audit_noise
from hushwatt.audit.planted import debias_as_if_undivided
from hushwatt.privacy.laws import LAWS, debias


@pytest.mark.parametrize("oracle", LAWS)
def test_estimate_and_variance_unbiased(oracle):
    """Over all answers of a home, the estimate is its level and the variance is the estimate's."""

    assert audit_debias(oracle).passed
    assert audit_noise(oracle).passed


def test_a_wrong_q_is_found():
    """An estimate with the q of an undivided budget is biased."""

    assert not audit_debias("oue", debias_as_if_undivided).passed


def test_a_small_slip_is_found():
    """So is one that is a millionth off."""

    assert not audit_debias("sue", lambda counts, reports, law: debias(counts, reports, law) * 1.000001).passed
