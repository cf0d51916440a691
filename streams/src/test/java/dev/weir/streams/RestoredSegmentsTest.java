package dev.weir.streams;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Segments that lost what they had, and those that nobody needs any more. */
class RestoredSegmentsTest {
  @TempDir private Path directory;

  private Path onlySegment() throws IOException {
    try (Stream<Path> all = Files.walk(directory)) {
      List<Path> segments =
          all.filter(file -> file.getFileName().toString().endsWith(".bytes")).toList();
      assertThat(segments).hasSize(1);
      return segments.getFirst();
    }
  }

  /** Behind a hole an append would be read with zeros in front of it. */
  @ParameterizedTest
  @ValueSource(ints = {-1, 0, 10})
  void whatHasLostBytesGetsNoMoreUntilTheyAreBack(int leftBytes) throws IOException {
    try (StoreFixture fixture = new StoreFixture(directory)) {
      fixture.create("a");
      fixture.append("a", "acknowledged ");
    }
    try (StoreFixture fixture = new StoreFixture(directory)) {
      Path segment = onlySegment();
      byte[] whole = Files.readAllBytes(segment);
      if (leftBytes < 0) {
        Files.delete(segment);
      } else {
        Files.write(segment, Arrays.copyOf(whole, leftBytes));
      }
      assertThatThrownBy(() -> fixture.append("a", "more"))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("has %d bytes, but 13 were acknowledged", Math.max(0, leftBytes));
      assertThat(fixture.state("a").tailOffset()).isEqualTo(13);
      assertThat(Files.exists(segment)).isEqualTo(leftBytes >= 0);

      fixture.create("another");
      fixture.append("another", "is served");
      Files.write(segment, whole);
      fixture.append("a", "more");
      assertThat(fixture.read("a")).isEqualTo("acknowledged more");
    }
    try (StoreFixture fixture = new StoreFixture(directory)) {
      assertThat(fixture.read("a")).isEqualTo("acknowledged more");
      assertThat(fixture.read("another")).isEqualTo("is served");
    }
  }

  /** On a full disk there is no room for them, and the node would not start. */
  @Test
  void whatIsDeletedLaterIsNotWrittenAgain() throws IOException {
    try (StoreFixture fixture = new StoreFixture(directory)) {
      fixture.create("deleted");
      fixture.append("deleted", "bytes");
      fixture.create("kept");
      fixture.append("kept", "kept");
      fixture.store.delete("deleted").join();
    }
    Path kept = onlySegment();
    Files.delete(kept);
    List<Path> made = new ArrayList<>();
    try (StoreFixture fixture =
        new StoreFixture(directory, noting(made), new AtomicLong(1_000_000))) {
      assertThat(fixture.read("kept")).isEqualTo("kept");
      assertThat(fixture.store.find("deleted")).isNull();
    }
    assertThat(made).containsOnlyOnce(kept);
    assertThat(made.stream().filter(file -> file.toString().endsWith(".bytes"))).hasSize(1);
  }

  /** The machine's disk, with a list of the files that are made. */
  private static Disk noting(List<Path> made) {
    Disk disk = new LocalDisk();
    return (Disk)
        Proxy.newProxyInstance(
            Disk.class.getClassLoader(),
            new Class<?>[] {Disk.class},
            (_, method, arguments) -> {
              if (method.getName().equals("create")) {
                made.add((Path) arguments[0]);
              }
              try {
                return method.invoke(disk, arguments);
              } catch (InvocationTargetException failure) {
                throw failure.getCause();
              }
            });
  }

  @Test
  void aDiskThatTakesNothingIsNamedWhereTheNodeCannotStart() throws IOException {
    try (StoreFixture fixture = new StoreFixture(directory)) {
      fixture.create("a");
      fixture.append("a", "acknowledged");
    }
    FaultyDisk full = new FaultyDisk();
    full.room(3);
    assertThatThrownBy(() -> new StoreFixture(directory, full, new AtomicLong()))
        .isInstanceOf(DataDirectoryException.class)
        .hasMessageContaining(onlySegment().toString())
        .hasMessageContaining("No space left on device; see to its disk");
    try (StoreFixture fixture = new StoreFixture(directory)) {
      assertThat(fixture.read("a")).isEqualTo("acknowledged");
    }
  }
}
