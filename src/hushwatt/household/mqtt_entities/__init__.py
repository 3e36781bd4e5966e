"""The entities that a home announces to Home Assistant over MQTT, and the switch by which it is paused."""
