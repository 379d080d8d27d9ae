"""Reads a trace by Perfetto's own message definitions, holds it together, and prints what is in it as JSON.

Every field has to be one that the definitions know; names that are interned have to be explained before; slices have to nest
and tracks to be declared; time may not go backwards on a track.
"""

import collections
import json
import sys

from google.protobuf.unknown_fields import UnknownFieldSet
from perfetto.protos.perfetto.trace import perfetto_trace_pb2 as perfetto


def known(message):
    assert len(UnknownFieldSet(message)) == 0, f"unknown fields in {message.DESCRIPTOR.name}"
    for field, value in message.ListFields():
        if field.message_type is None:
            continue
        for part in value if field.is_repeated else [value]:
            known(part)


def value(annotation):
    kind = annotation.WhichOneof("value")
    return getattr(annotation, kind)


def read(file):
    trace = perfetto.Trace()
    trace.ParseFromString(file)
    known(trace)
    tracks, names, categories, arguments = {}, {}, {}, {}
    stacks, last = collections.defaultdict(list), {}
    slices, counters = [], collections.Counter()
    for packet in trace.packet:
        for table, entries in (
            (names, packet.interned_data.event_names),
            (categories, packet.interned_data.event_categories),
            (arguments, packet.interned_data.debug_annotation_names),
        ):
            table.update((entry.iid, entry.name) for entry in entries)
        if packet.HasField("track_descriptor"):
            track = packet.track_descriptor
            assert track.uuid not in tracks and (not track.HasField("parent_uuid") or track.parent_uuid in tracks)
            tracks[track.uuid] = track
        if not packet.HasField("track_event"):
            continue
        event, now = packet.track_event, packet.timestamp
        track = tracks[event.track_uuid]
        assert last.get(track.uuid, 0) <= now, f"{track.name}: {now} after {last[track.uuid]}"
        last[track.uuid] = now
        said = {a.name or arguments[a.name_iid]: value(a) for a in event.debug_annotations}
        if event.type == event.TYPE_SLICE_BEGIN:
            slice = {"name": event.name or names[event.name_iid], "category": categories[event.category_iids[0]]}
            slice |= {"begin": now, "track": track.name, "depth": len(stacks[track.uuid]), "args": said}
            stacks[track.uuid].append(slice)
            slices.append(slice)
        elif event.type == event.TYPE_SLICE_END:
            slice = stacks[track.uuid].pop()
            slice["end"] = now
            slice["args"] |= said
        else:
            assert event.type == event.TYPE_COUNTER and track.HasField("counter")
            counters[track.name] += 1
    assert not any(stacks.values()), "slices are open at the end"
    return tracks, slices, counters


def main():
    with open(sys.argv[1], "rb") as file:
        tracks, slices, counters = read(file.read())
    waves = {tuple(s["args"][key] for key in ("dispatch", "group", "wave")) for s in slices if s["category"] == "wave"}
    print(
        json.dumps(
            {
                "tracks": len(tracks),
                "slices": collections.Counter(s["category"] for s in slices),
                "nanoseconds": sum(s["end"] - s["begin"] for s in slices),
                "names": sorted({s["name"] for s in slices}),
                "waves": len(waves),
                "counters": counters,
            }
        )
    )


main()
