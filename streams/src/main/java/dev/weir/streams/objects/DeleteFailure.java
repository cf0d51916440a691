package dev.weir.streams.objects;

/** An object that could not be deleted, and the store's reason. */
public record DeleteFailure(String key, String reason) {}
