package dev.weir.streams;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Expired streams are sent to be deleted in parts, one at a time. */
class ExpirySweepTest {
  private static final int STREAMS = 3 * ExpirySweep.MAX_QUEUED;

  private final Catalog catalog = new Catalog();
  private final List<Command.Delete> sent = new ArrayList<>();
  private final Queue<Runnable> janitor = new ArrayDeque<>();
  private boolean clockFails;
  private final ExpirySweep sweep =
      new ExpirySweep(
          catalog, this::nowMillis, command -> sent.add((Command.Delete) command), janitor::add);

  private long nowMillis() {
    if (clockFails) {
      throw new IllegalStateException("made by the test");
    }
    return 1000;
  }

  private void add(String path, long ttlSeconds) {
    add(path, ttlSeconds, /* fork= */ null);
  }

  private void add(String path, long ttlSeconds, @Nullable ForkOrigin fork) {
    StreamConfig config = new StreamConfig("text/plain", ttlSeconds, null, StreamConfig.NONE, fork);
    Mutation.Created created = new Mutation.Created(catalog.size() + 1, path, config, 0, 0);
    catalog.add(new Stream(created.toState(), /* nowMillis= */ 0));
  }

  private void answerAllAndGoOn() {
    List<Command.Delete> commands = List.copyOf(sent);
    sent.clear();
    commands.forEach(command -> command.answer().complete(DeleteOutcome.NOT_FOUND));
    if (!janitor.isEmpty()) {
      janitor.remove().run();
    }
  }

  @Test
  void aPartIsSentWhenTheLastOneIsDone() {
    for (int i = 0; i < STREAMS; i++) {
      add("expired" + i, 1);
      add("alive" + i, 2);
    }
    Set<String> paths = new HashSet<>();
    sweep.run();
    while (!sent.isEmpty()) {
      assertThat(sent).hasSizeLessThanOrEqualTo(ExpirySweep.MAX_QUEUED);
      assertThat(sent).allMatch(Command.Delete::expiredOnly);
      sent.forEach(command -> assertThat(paths.add(command.path())).isTrue());
      int before = sent.size();
      sweep.run();
      assertThat(sent).as("none while the last ones are queued").hasSize(before);
      assertThat(janitor).isEmpty();
      answerAllAndGoOn();
    }
    assertThat(paths).hasSize(STREAMS).allMatch(path -> path.startsWith("expired"));
  }

  @Test
  void whatFailedIsTriedAgainWithTheNextSweep() {
    add("a", 1);
    sweep.run();
    sent.removeFirst().fail(new StoreFailedException("made by the test"));
    assertThat(janitor).isEmpty();
    sweep.run();
    assertThat(sent).hasSize(1);
  }

  /** Its timer would never run it again. */
  @Test
  void whatBreaksASweepOffDoesNotEndTheNextOnes() {
    add("a", 1);
    clockFails = true;
    sweep.run();
    assertThat(sent).isEmpty();
    clockFails = false;
    sweep.run();
    assertThat(sent).hasSize(1);
  }

  /** Each fork, and the source as well, takes a sync of its own. */
  @Test
  void aPartHasEightForksAtMostAndTheyComeLast() {
    add("source", 1);
    ForkOrigin fork = new ForkOrigin(/* sourceId= */ 1, /* anchorOffset= */ 0, /* subOffset= */ 0);
    for (int i = 0; i < 40; i++) {
      add("fork" + i, 1, fork);
      add("plain" + i, 1);
    }
    Set<String> paths = new HashSet<>();
    sweep.run();
    while (!sent.isEmpty()) {
      List<String> part = sent.stream().map(Command.Delete::path).toList();
      long plain = part.stream().filter(path -> path.startsWith("plain")).count();
      assertThat(part.size() - plain).isLessThanOrEqualTo(8);
      assertThat(part.subList(0, (int) plain)).allMatch(path -> path.startsWith("plain"));
      paths.addAll(part);
      answerAllAndGoOn();
    }
    assertThat(paths).hasSize(81);
  }
}
