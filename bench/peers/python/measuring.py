"""The loop of the Python contestants, and the JSON line that they print."""

import json
import os
import resource
import time


def measure(mode, path, count, min_seconds, work):
    """Repeat `work` until it used `min_seconds` of CPU time, and print what that took."""
    iterations = 0
    cpu = 0.0
    while iterations == 0 or cpu < min_seconds:
        start = time.process_time()
        work()
        cpu += time.process_time() - start
        iterations += 1

    peak_kb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    line = {
        "mode": mode,
        "file": os.path.basename(path),
        "events": count,
        "iterations": iterations,
        "cpu_seconds": round(cpu, 6),
        "peak_rss_mb": round(peak_kb / 1024, 1),
    }
    print(json.dumps(line))
