package dev.weir.streams.recovery;

import java.util.List;

/**
 * Something that is wrong in a store.
 *
 * @param key the object
 * @param offset the first byte that may be wrong
 * @param reason in one sentence
 * @param streams the paths of those that cannot be read there; empty where none is concerned, or
 *     nobody can tell
 */
public record Damage(String key, long offset, String reason, List<String> streams) {
  /** Takes a copy of the list. */
  public Damage {
    streams = List.copyOf(streams);
  }

  @Override
  public String toString() {
    return streams.isEmpty() ? reason : "%s (streams: %s)".formatted(reason, streams);
  }
}
