#!/usr/bin/env python3
"""Draws the README's two plots, that of replication, and the tables of this folder, from a report.json of 'weir lab run all'.

Usage: plot.py report.json    (writes the plots that its rows are enough for to ../img; prints the tables)
"""
import json
import os
import sys
from html import escape

STYLE = """<style>text{font:12px system-ui,sans-serif;fill:#3a4354}.t{font-weight:600;font-size:13px}.g{stroke:#d5dae3}
.l{fill:none;stroke-width:1.8}@media(prefers-color-scheme:dark){text{fill:#c5cdda}.g{stroke:#39414f}}</style>"""
COLOURS = {"netty-4.1.51": "#b42318", "netty-4.1.68": "#d9730d", "netty-4.1.137": "#a68a00",
           "netty-4.2.18-pooled": "#6b7385", "netty-4.2.18-adaptive": "#8250df", "weir": "#0b6bcb", "weir+dense": "#1a7f4b",
           "grpc-naive": "#b42318", "grpc": "#a68a00"}
MIB = 1 << 20


def svg(width, height, label, body):
    return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img" '
            f'aria-label="{escape(label)}">{STYLE}{body}</svg>\n')


def accumulate(rows):
    label = "MiB held of 256 when nothing is live, after the small uploads; then large uploads answered"
    body = [f'<text class="t" x="8" y="20">{label}</text>']
    for i, row in enumerate(rows):
        y = 38 + 28 * i
        held = row["betweenHeldBytes"] / MIB
        body.append(f'<text x="160" y="{y + 13}" text-anchor="end">{escape(row["allocator"])}</text>'
                    f'<rect x="168" y="{y}" width="{max(1, held * 1.5):.1f}" height="18" fill="{COLOURS[row["allocator"]]}"/>'
                    f'<text x="{174 + held * 1.5:.1f}" y="{y + 13}">{held:.0f} MiB, '
                    f'{row["largeAnswered"]} of {row["largeUploads"]}</text>')
    height = 44 + 28 * len(rows)
    body.append(f'<line class="g" x1="{168 + 256 * 1.5}" x2="{168 + 256 * 1.5}" y1="32" y2="{height - 8}" stroke-dasharray="3 3"/>')
    return svg(720, height, label, "".join(body))


def caches(rows):
    planned = rows[0]["plannedBytes"] / MIB
    top = max(max(p[1] for p in r["series"]) for r in rows) / MIB * 1.08
    end = max(r["series"][-1][0] for r in rows)
    label = f"Resident MiB over the seconds of each row; planned are {planned:.0f} MiB"
    def at(seconds, bytes_):
        return f"{46 + seconds / end * 660:.1f},{250 - bytes_ / MIB / top * 215:.1f}"
    body = [f'<text class="t" x="8" y="20">{label}</text>']
    step = next(s for s in (10, 20, 50, 100, 200, 500, 1000) if top / s <= 6)
    for mib in range(0, int(top) + 1, step):
        x, y = at(0, mib * MIB).split(",")
        body.append(f'<line class="g" x1="{x}" x2="706" y1="{y}" y2="{y}"/><text x="40" y="{float(y) + 4}" text-anchor="end">{mib}</text>')
    x, y = at(0, planned * MIB).split(",")
    body.append(f'<line x1="{x}" x2="706" y1="{y}" y2="{y}" stroke="#6b7385" stroke-dasharray="4 3"/>')
    for i, row in enumerate(rows):
        colour = COLOURS[row["allocator"]]
        points = " ".join(at(p[0], p[1]) for p in row["series"])
        body.append(f'<polyline class="l" stroke="{colour}" points="{points}"/>')
        body.append(f'<rect x="{50 + 165 * (i % 4)}" y="{264 + 18 * (i // 4)}" width="14" height="4" fill="{colour}"/>'
                    f'<text x="{68 + 165 * (i % 4)}" y="{270 + 18 * (i // 4)}">{escape(row["allocator"])}</text>')
    return svg(720, 300, label, "".join(body))


def replication(rows):
    limit = rows[0]["limitBytes"] / MIB
    top = max(limit, max(max(p[1] for p in r["series"]) / MIB for r in rows)) * 1.08
    end = max(r["series"][-1][0] for r in rows)
    label = f"MiB that the sender has grown by, over the seconds; its direct memory may be {limit:.0f} MiB"
    def at(seconds, mib):
        return f"{46 + seconds / end * 660:.1f},{230 - mib / top * 195:.1f}"
    body = [f'<text class="t" x="8" y="20">{label}</text>']
    for mib in range(0, int(top) + 1, 50):
        x, y = at(0, mib).split(",")
        body.append(f'<line class="g" x1="{x}" x2="706" y1="{y}" y2="{y}"/><text x="40" y="{float(y) + 4}" text-anchor="end">{mib}</text>')
    for i, row in enumerate(rows):
        colour = COLOURS[row["allocator"]]
        points = " ".join(at(p[0], p[1] / MIB) for p in row["series"])
        body.append(f'<polyline class="l" stroke="{colour}" points="{points}"/>')
        body.append(f'<rect x="{50 + 220 * i}" y="246" width="14" height="4" fill="{colour}"/><text x="{68 + 220 * i}" y="252">'
                    f'{escape(row["allocator"])}: {row["completed"]} of {row["copies"]} arrive</text>')
    return svg(720, 264, label, "".join(body))


def table(rows, columns):
    print("| " + " | ".join(title for title, _ in columns) + " |\n|" + "---|" * len(columns))
    for row in rows:
        cells = []
        for _, field in columns:
            value = row.get(field)
            text = "-" if value is None else f"{value / MIB:.1f}" if field.endswith("Bytes") else str(value)
            cells.append(text)
        print("| " + " | ".join(cells) + " |")
    print()


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        report = json.load(file)
    of = lambda name: [r for r in report["rows"] if r["scenario"] == name and "problem" not in r]
    img = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "img")
    for name, draw in (("http-accumulate", accumulate), ("cache-fragmentation", caches), ("replication", replication)):
        if not of(name):
            continue
        with open(os.path.join(img, name + ".svg"), "w", encoding="utf-8") as file:
            file.write(draw(of(name)))
    print(report["machine"], report["begun"], "complete" if report["complete"] else "incomplete", "\n")
    table(of("http-accumulate"), [("allocator", "allocator"), ("Java", "java"), ("small answered", "smallAnswered"),
          ("held then", "betweenHeldBytes"), ("20 MB answered", "largeAnswered"), ("refused", "refused"),
          ("sequential", "boundBytes"), ("peak RSS", "peakRssBytes"), ("idle RSS", "idleRssBytes"), ("idle held", "idleHeldBytes")])
    table(of("cache-fragmentation"), [("allocator", "allocator"), ("Java", "java"), ("refused", "refused"), ("planned", "plannedBytes"),
          ("sequential", "boundBytes"), ("peak RSS", "peakRssBytes"), ("peak/planned", "peakRatio"), ("mean/planned", "meanRatio"),
          ("closed", "closedRssBytes"), ("seconds", "seconds")])
    table(of("rss-per-thread"), [("allocator", "allocator"), ("Java", "java"), ("no cleaner", "noCleaner"), ("a request", "requestBytes"),
          ("held", "heldBytes"), ("peak RSS", "peakRssBytes"), ("idle RSS", "idleRssBytes")])
    table(of("gateway"), [("coder/malloc", "allocator"), ("answered", "answered"), ("vanished", "vanished"), ("failed", "refused"),
          ("a second", "perSecond"), ("collections", "gcCount"), ("GC ms", "gcMillis"), ("peak RSS", "peakRssBytes"),
          ("load", "loadRssBytes"), ("light", "lightRssBytes"), ("zero load", "idleRssBytes")])
    table(of("replication"), [("sender", "allocator"), ("containers", "copies"), ("whole", "completed"), ("failed", "failures"),
          ("seconds", "seconds"), ("sender's RSS", "senderPeakRssBytes"), ("its pool", "senderPoolBytes"),
          ("receiver's RSS", "receiverPeakRssBytes"), ("its pool", "receiverPoolBytes"), ("what failed", "senderFailure")])
    for row in report["rows"]:
        if "problem" in row:
            print(row["scenario"], row["allocator"], row["problem"])


main()
