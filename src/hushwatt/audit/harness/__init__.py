"""What audits and scenarios run on: homes, services, disks and clocks that can be watched and broken."""
