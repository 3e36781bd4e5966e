"""Where tables lie: on this machine's disk, or in a store of objects far away.

`location` is the door: it takes what a person typed, and gives a `Path`, or an `ObjectPath` that is opened,
listed and looked at by the same words.  `atomic_write_to` writes to either, whole or not at all.
"""

from hushwatt.wire.storage.location import Location, check_output, location
from hushwatt.wire.storage.object_path import ObjectPath
from hushwatt.wire.storage.upload import atomic_write_to

__all__ = ["Location", "ObjectPath", "atomic_write_to", "check_output", "location"]
