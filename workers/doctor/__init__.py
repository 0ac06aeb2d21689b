"""The doctor: puts a bot through all it will meet in matches and says what is wrong and how to mend it.

for finding in examine(patient):        see `Patient` for what it needs
    ...
"""

from workers.doctor.checks import examine
from workers.doctor.findings import Finding, Level, failed
from workers.doctor.patient import Patient, Route, by_http

__all__ = ["Finding", "Level", "Patient", "Route", "by_http", "examine", "failed"]
