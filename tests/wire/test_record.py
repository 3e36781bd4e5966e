"""Records: what is packed is what is unpacked, and nothing else is accepted."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hushwatt.errors import ReportError
from hushwatt.wire.record import DEVICE_BYTES, MAX_NUMBER, Records, pack, pack_many, record_size, unpack

numbers = st.integers(0, MAX_NUMBER)
reports = st.tuples(st.binary(min_size=DEVICE_BYTES, max_size=DEVICE_BYTES), numbers, numbers, numbers)


@given(heads=st.lists(reports, max_size=20), size=st.integers(0, 40), data=st.data())
def test_records_come_back_as_they_were(heads, size, data):
    """Whatever is packed, one by one or many at once, is unpacked alike."""
    payloads = [data.draw(st.binary(min_size=size, max_size=size)) for _ in heads]
    body = b"".join(pack(*head, payload) for head, payload in zip(heads, payloads, strict=True))  # type: ignore[call-arg]

    found = unpack(body, size)
    again = pack_many(found.devices, found.slot, found.spent, found.drawn, found.payloads)

    rows = zip(found.devices, found.slot, found.spent, found.drawn, strict=True)
    assert [(device.tobytes(), *map(int, rest)) for device, *rest in rows] == heads
    assert [row.tobytes() for row in found.payloads] == payloads
    assert again == body


@pytest.mark.parametrize("missing", [1, 12, 30, 46])
def test_a_part_of_a_record_is_refused(missing):
    """A body that was cut off anywhere is refused whole."""
    body = pack(bytes(DEVICE_BYTES), 1, 2, 3, bytes(19)) * 3

    with pytest.raises(ReportError, match="not whole records of 47 bytes"):
        unpack(body[:-missing], 19)


@pytest.mark.parametrize("field", ["slot", "spent", "drawn"])
@pytest.mark.parametrize("value", [-1, MAX_NUMBER + 1])
def test_numbers_that_do_not_fit_are_refused(field, value):
    """A number beyond four bytes is an error, never cut short."""
    values = {"slot": 1, "spent": 1, "drawn": 1, field: value}
    devices, payloads = np.zeros((2, DEVICE_BYTES), np.uint8), np.zeros((2, 3), np.uint8)

    with pytest.raises(ReportError, match=field):
        pack(bytes(DEVICE_BYTES), **values, payload=b"")
    with pytest.raises(ReportError, match=field):
        pack_many(devices, **{**values, field: np.array([0, value])}, payloads=payloads)


def test_a_device_has_sixteen_bytes():
    """A shorter name of a device would shift all that follows."""

    with pytest.raises(ReportError, match="16 bytes"):
        pack(bytes(15), 1, 1, 1, b"")
    with pytest.raises(ReportError, match="16 bytes"):
        pack_many(np.zeros((1, 15), np.uint8), 1, 1, 1, np.zeros((1, 3), np.uint8))


def test_a_record_shows_nothing_of_itself():
    """Records in a log show how many they are, and no bits."""
    records = unpack(pack(b"D" * DEVICE_BYTES, 1, 2, 3, b"secret"), 6)

    assert isinstance(records, Records)
    assert repr(records) == "<1 records>"
    assert record_size(6) == 34
