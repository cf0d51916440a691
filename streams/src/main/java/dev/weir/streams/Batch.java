package dev.weir.streams;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The commands that one sync will settle, with what they would change: all of it is published when
 * the sync succeeds, and none when it fails. For the committer alone.
 */
final class Batch {
  private final Map<String, Draft> drafts = new HashMap<>();
  private final Set<String> deleted = new HashSet<>();
  private final List<Command> commands = new ArrayList<>();
  private final List<Runnable> onDurable = new ArrayList<>();
  private final List<Runnable> answers = new ArrayList<>();
  private int released;
  private long bytes;

  boolean isEmpty() {
    return commands.isEmpty();
  }

  void add(Command command) {
    commands.add(command);
  }

  /** Bytes of streams that its commands are to add. */
  long bytes() {
    return bytes;
  }

  void addBytes(long more) {
    bytes += more;
  }

  @Nullable Draft draft(String path) {
    return drafts.get(path);
  }

  Draft draft(String path, Draft draft) {
    drafts.put(path, draft);
    return draft;
  }

  /** Notes that a published stream will be gone: nothing in this batch may speak of it any more. */
  void delete(String path) {
    deleted.add(path);
  }

  boolean isDeleted(String path) {
    return deleted.contains(path);
  }

  /**
   * Runs when the batch is durable, in order, before the drafts are published and wake those who
   * wait. Payloads are still held then.
   */
  void onDurable(Runnable action) {
    onDurable.add(action);
  }

  /** Runs last, once everything that it speaks of is durable. */
  void answer(Runnable answer) {
    answers.add(answer);
  }

  /** Hands its deletions, which are not released yet, back to whom they came from. */
  List<Command> takeDeletions() {
    List<Command> deletions = commands.stream().filter(Command.Delete.class::isInstance).toList();
    commands.removeIf(Command.Delete.class::isInstance);
    return deletions;
  }

  void publish(Catalog catalog, long nowMillis) {
    onDurable.forEach(Runnable::run);
    drafts.values().forEach(draft -> draft.publish(catalog, nowMillis));
    // Before the answers: who has one may rely on the payload's memory being back.
    release();
    answers.forEach(Runnable::run);
  }

  /** Leaves the next start to find out which of the batch's files are part of a stream. */
  void keepFiles() {
    commands.forEach(Command::keepFile);
  }

  /** Fails every command that has no answer yet, also where a release throws. */
  void fail(Throwable cause) {
    try {
      release();
    } finally {
      commands.forEach(command -> command.fail(cause));
    }
  }

  /** Releases all, whatever one of them throws. */
  private void release() {
    try {
      while (released < commands.size()) {
        commands.get(released++).release();
      }
    } finally {
      if (released < commands.size()) {
        release();
      }
    }
  }
}
