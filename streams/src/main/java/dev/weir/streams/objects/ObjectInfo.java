package dev.weir.streams.objects;

/** An object's length in bytes, and what changes with its content. */
public record ObjectInfo(String key, long lengthBytes, String etag) {}
