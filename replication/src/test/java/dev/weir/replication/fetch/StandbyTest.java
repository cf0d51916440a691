package dev.weir.replication.fetch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.replication.testing.TestServer;
import dev.weir.replication.testing.Trees;
import dev.weir.replication.tree.Deletion;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A standby follows its source, and is whole at any time. */
class StandbyTest {
  @TempDir private Path folder;

  private Path source;
  private Path target;

  @BeforeEach
  void makeDirectories() throws Exception {
    source = Files.createDirectory(folder.resolve("photos"));
    target = folder.resolve("target");
  }

  private TestServer serve() throws IOException {
    return TestServer.of(source, folder.resolve("cache"));
  }

  private Path copy() {
    return target.resolve("photos");
  }

  /** A manifest is shared for two seconds, which a new server does not remember. */
  private Progress turn() throws Exception {
    Progress progress = new Progress();
    try (TestServer server = serve();
        Standby standby = Standby.open(server.fetchInto(target))) {
      standby.turn(progress);
    }
    return progress;
  }

  private static Object inode(Path file) throws IOException {
    return Files.getAttribute(file, "unix:ino");
  }

  @Test
  void onlyWhatHasChangedTravels() throws Exception {
    Random random = new Random(1);
    for (String name : List.of("a", "b", "c")) {
      Files.write(source.resolve(name), Trees.content(random, 2_500_000));
    }
    assertThat(turn().keptBytes()).isZero();
    assertThat(Trees.describe(copy().toRealPath())).isEqualTo(Trees.describe(source));
    Object inode = inode(copy().resolve("a"));

    Files.write(source.resolve("b"), Trees.content(random, 1_000), StandardOpenOption.APPEND);
    Files.delete(source.resolve("c"));
    Files.writeString(source.resolve("d"), "new");
    Progress progress = turn();

    assertThat(Trees.describe(copy().toRealPath())).isEqualTo(Trees.describe(source));
    assertThat(inode(copy().resolve("a"))).isEqualTo(inode);
    assertThat(progress.keptBytes()).isBetween(1_000_000L, 2_500_000L);
    assertThat(progress.verifiedBytes()).isEqualTo(progress.totalBytes());
    assertThat(progress.receivedBytes())
        .isLessThan(Files.size(source.resolve("b")) + 3 + 2_000)
        .isGreaterThan(3);
  }

  @Test
  void aSourceWithNothingNewIsAskedAndNothingComes() throws Exception {
    Files.writeString(source.resolve("a"), "text");
    try (TestServer server = serve();
        Standby standby = Standby.open(server.fetchInto(target))) {
      assertThat(standby.turn(new Progress()).brought()).isNotNull();
      long sent = server.server().figures().sentBytes();
      Standby.Turn turn = standby.turn(new Progress());
      assertThat(turn.brought()).isNull();
      assertThat(turn.lag().isKnown()).isFalse();
      assertThat(server.server().figures().sentBytes()).isEqualTo(sent);
    }
    assertThat(copy().resolve("a")).hasContent("text");
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2})
  void itIsTheSourceAfterEachTurn(long seed) throws Exception {
    Random random = new Random(seed);
    Trees.create(source, seed);
    for (int turn = 0; turn < 4; turn++) {
      turn();
      assertThat(Trees.describe(copy().toRealPath()))
          .as("turn " + turn)
          .isEqualTo(Trees.describe(source));
      change(random);
    }
    try (Stream<Path> left = Files.list(target.resolve(".weir-standby/photos"))) {
      assertThat(left.map(path -> path.getFileName().toString()))
          .containsExactlyInAnyOrder("4", "4.manifest", "lock", ".weir-incoming");
    }
  }

  private void change(Random random) throws Exception {
    List<Path> files;
    try (Stream<Path> all = Files.walk(source)) {
      files = all.filter(Files::isRegularFile).toList();
    }
    for (Path file : files) {
      switch (random.nextInt(4)) {
        case 0 -> {
          Files.delete(file);
          Files.write(file, Trees.content(random, random.nextInt(3_000_000)));
        }
        case 1 -> Files.delete(file);
        default -> {}
      }
    }
    Files.write(source.resolve("f" + random.nextInt(3)), Trees.content(random, 70_000));
    Deletion.delete(source.resolve("deep"));
    Trees.create(source.resolve("deep"), random.nextLong());
  }

  @Test
  void whatACrashLeavesInAnyStepIsPutRight() throws Exception {
    Files.writeString(source.resolve("a"), "one");
    turn();
    Path states = target.resolve(".weir-standby/photos");
    Files.writeString(source.resolve("b"), "two");
    // Whole, and not switched to; a link that was not renamed; a manifest that was torn.
    Files.createDirectories(states.resolve("2/a"));
    Files.writeString(states.resolve("2.manifest"), "WEIRMAN1");
    Files.createSymbolicLink(states.resolve("next"), Path.of("nowhere"));
    assertThat(copy().resolve("a")).hasContent("one");
    turn();
    assertThat(Trees.describe(copy().toRealPath())).isEqualTo(Trees.describe(source));

    Files.writeString(states.resolve("2.manifest"), "WEIRMAN1");
    Files.writeString(source.resolve("c"), "three");
    assertThat(turn().keptBytes()).isZero();
    assertThat(Trees.describe(copy().toRealPath())).isEqualTo(Trees.describe(source));
  }

  @Test
  void aTurnThatFailsLeavesWhatWasThere() throws Exception {
    Files.writeString(source.resolve("a"), "one");
    turn();
    Map<String, String> before = Trees.describe(copy().toRealPath());
    Files.writeString(source.resolve("b"), "two");
    try (TestServer server = serve();
        Standby standby = Standby.open(server.fetchInto(target).onDisk(path -> 0))) {
      assertThatThrownBy(() -> standby.turn(new Progress()))
          .isInstanceOf(FetchException.class)
          .hasMessageContaining("free some space");
      assertThat(Trees.describe(copy().toRealPath())).isEqualTo(before);
    }
    turn();
    assertThat(Trees.describe(copy().toRealPath())).isEqualTo(Trees.describe(source));
  }

  @Test
  void oneThatANodeHasOpenedIsLeftAlone() throws Exception {
    Files.writeString(source.resolve("a"), "one");
    turn();
    Files.writeString(copy().resolve("~lock"), "");
    Files.writeString(copy().resolve("written-since"), "precious");
    Files.writeString(source.resolve("b"), "two");
    assertThatThrownBy(this::turn)
        .isInstanceOf(FetchException.class)
        .hasMessageContaining("no standby any more");
    assertThat(copy().resolve("written-since")).hasContent("precious");
  }

  @Test
  void aPlaceThatIsTakenIsRefused() throws Exception {
    Files.writeString(source.resolve("a"), "one");
    try (TestServer server = serve();
        Standby standby = Standby.open(server.fetchInto(target))) {
      assertThat(standby.isOpened()).isFalse();
      assertThatThrownBy(() -> Standby.open(server.fetchInto(target)))
          .hasMessageContaining("another process keeps");
    }
    Files.createDirectories(copy());
    assertThatThrownBy(this::turn).hasMessageContaining("is no standby");
    Files.delete(copy());
    Files.createSymbolicLink(copy(), source);
    assertThatThrownBy(this::turn).hasMessageContaining("is a link to");
    assertThat(Files.exists(copy(), LinkOption.NOFOLLOW_LINKS)).isTrue();
  }
}
