#!/usr/bin/env python3
"""Makes examples/sensors.csv: a greenhouse, one row an hour, with what is planted written below.

Usage: examples/make_sensors.py > examples/sensors.csv

Nobody would plan such a table, and most look like it: two devices that measure the same, values in two units,
a total beside its parts, channels that are connected to nothing.
"""

import csv
import math
import random
import sys

HOURS = 600


def main():
    draw = random.Random(7)
    out = csv.writer(sys.stdout, lineterminator="\n")
    out.writerow(
        "time temp_in_c temp_in_f temp_in_spare_c temp_out_c humidity_in humidity_out pressure_hpa pressure_mmhg "
        "wind_ms wind_kmh co2_ppm light_lux heater_w fans_w lamps_w total_w channel_7 channel_8".split()
    )
    weather, wind, pressure, cloud, fans, soil = 0.0, 2.0, 0.0, 0.0, 0.0, 0.0
    for hour in range(HOURS):
        day, clock = divmod(hour, 24)
        sun = max(0.0, math.sin(math.pi * (clock - 6) / 12))
        weather = 0.97 * weather + draw.gauss(0, 0.8)
        cloud = 0.9 * cloud + draw.gauss(0, 0.4)
        pressure = 0.98 * pressure + draw.gauss(0, 1.2)
        wind = abs(0.9 * wind + draw.gauss(0, 0.9))
        fans = 0.8 * fans + draw.gauss(0, 0.6)
        brightness = sun / (1 + math.exp(cloud))
        temp_out = round(8 + weather + 6 * sun + draw.gauss(0, 0.5), 1)
        humidity_out = round(min(100, 75 - 20 * sun - 1.5 * weather + draw.gauss(0, 6)), 1)
        light = round(60000 * brightness + draw.gauss(0, 150) ** 2 / 100)
        heater = max(0, round(1200 - 70 * temp_out + draw.gauss(0, 120)))
        fan_power = round(140 + 90 * math.tanh(fans))
        lamps = 400 if (clock >= 20 or clock < 4) and draw.random() < 0.8 else 0
        temp_in = round(19 + 0.15 * temp_out + 5 * brightness + 0.002 * heater + draw.gauss(0, 0.7), 1)
        humidity_in = round(62 - 1.1 * (temp_in - 22) + 0.15 * humidity_out + draw.gauss(0, 3), 1)
        hpa = round(1013 + pressure, 1)
        ms = round(wind, 1)
        co2 = round(900 - 6 * fan_power * 0.5 + 60 * draw.gauss(0, 1))
        out.writerow(
            [
                f"2026-03-{1 + day:02d} {clock:02d}:00",
                temp_in,
                f"{1.8 * temp_in + 32:.2f}",
                round(temp_in + draw.gauss(0, 0.1), 1),
                temp_out,
                humidity_in,
                humidity_out,
                hpa,
                f"{0.750062 * hpa:.2f}",
                ms,
                f"{3.6 * ms:.2f}",
                co2,
                light,
                heater,
                fan_power,
                lamps,
                heater + fan_power + lamps,
                f"{draw.gauss(0, 1):.3f}",
                f"{draw.gauss(5, 2):.3f}",
            ]
        )


if __name__ == "__main__":
    main()
