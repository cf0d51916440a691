package dev.weir.streams.manifest;

/** Where a part of a range lies: bytes of one segment. */
public record Location(SegmentState segment, long position, long lengthBytes) {}
