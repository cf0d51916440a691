package dev.weir.streams;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The path of a data directory in use leads to another one, as after a mount over it. */
class SameDirectoriesTest {
  @TempDir Path directory;
  private Path used;
  private Path other;
  private Path hidden;

  @BeforeEach
  void makeAnother() throws IOException {
    used = directory.resolve("used");
    other = directory.resolve("other");
    hidden = directory.resolve("hidden");
    try (StoreFixture fixture = new StoreFixture(other)) {
      fixture.create("a");
      fixture.append("a", "somebody else's");
    }
  }

  private void mountOther() throws IOException {
    Files.move(used, hidden);
    Files.move(other, used);
  }

  private void unmountOther() throws IOException {
    Files.move(used, other);
    Files.move(hidden, used);
  }

  private static Map<String, String> contents(Path root) throws IOException {
    Map<String, String> found = new TreeMap<>();
    try (Stream<Path> all = Files.walk(root)) {
      for (Path file : all.filter(Files::isRegularFile).toList()) {
        found.put(
            root.relativize(file).toString(), Files.readString(file, StandardCharsets.ISO_8859_1));
      }
    }
    return found;
  }

  private static void assertRefused(ThrowingCallable operation) {
    assertThatThrownBy(operation)
        .hasMessageContaining("is not the directory that this node has opened");
  }

  @Test
  void nothingIsDoneInAnotherAndAllGoesOnWhenItIsGone() throws IOException {
    try (StoreFixture fixture = new StoreFixture(used)) {
      fixture.create("a");
      fixture.append("a", "acknowledged");
      fixture.create("gone");
      fixture.append("gone", "x");
      CompletableFuture<Void> flush;
      Map<String, String> before = contents(other);
      mountOther();

      fixture.append("a", ", and more");
      assertRefused(() -> fixture.read("a"));
      fixture.create("b");
      fixture.append("b", "in the open file");
      flush = fixture.store.flush();
      Spool spool = fixture.store.spool();
      assertRefused(() -> spool.write(ByteBuffer.allocate(1)));
      spool.abort();
      assertThat(fixture.store.delete("gone").join()).isEqualTo(DeleteOutcome.DELETED);
      assertThat(contents(used)).isEqualTo(before);

      unmountOther();
      fixture.create("c");
      flush.join();
      assertThat(fixture.read("a")).isEqualTo("acknowledged, and more");
    }
    try (StoreFixture fixture = new StoreFixture(used)) {
      assertThat(fixture.read("a")).isEqualTo("acknowledged, and more");
      assertThat(fixture.read("b")).isEqualTo("in the open file");
      assertThat(fixture.store.find("gone")).isNull();
    }
    try (StoreFixture fixture = new StoreFixture(other)) {
      assertThat(fixture.read("a")).isEqualTo("somebody else's");
    }
  }

  @Test
  void theJournalsOfAnotherAreLeftAlone() throws IOException {
    Disk disk = new LocalDisk();
    StoreLayout layout = new StoreLayout(used);
    DataDirectory.make(disk, layout);
    try (SameDirectories same = SameDirectories.open(disk, layout)) {
      Map<String, String> before = contents(other);
      mountOther();
      assertRefused(same::check);
      assertRefused(() -> same.delete(layout.journal(1)));
      assertRefused(() -> Journal.create(same, layout, 9, 1, 1, JournalSeries.newBuffer()));
      assertThat(contents(used)).isEqualTo(before);
    }
  }

  @Test
  void aDirectoryThatIsMissingIsReportedByWhatNeedsIt() throws IOException {
    try (StoreFixture fixture = new StoreFixture(used)) {
      fixture.create("a");
      fixture.append("a", "acknowledged");
      Files.move(used, hidden);
      assertThatThrownBy(() -> fixture.read("a"))
          .isInstanceOf(UncheckedIOException.class)
          .hasMessageContaining("NoSuchFileException");
      Files.move(hidden, used);
      assertThat(fixture.read("a")).isEqualTo("acknowledged");
    }
  }
}
