package dev.weir.streams;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.streams.objects.directory.DirectoryObjectStore;
import dev.weir.streams.objects.directory.DirectoryReader;
import dev.weir.streams.recovery.Doctor;
import dev.weir.streams.segments.SegmentLayout;
import dev.weir.streams.testing.MapStore;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A snapshot is a store of its own, whatever becomes of the one that it was taken of. */
class StoreSnapshotsTest {
  @TempDir private Path folder;

  private Path data() {
    return folder.resolve("data");
  }

  private Path snapshotFolder() {
    return data().resolve("objects/~snapshots");
  }

  private static Doctor.Report examine(Path store) throws IOException {
    try (DirectoryReader objects = DirectoryReader.open(store)) {
      return Doctor.examine(objects);
    }
  }

  @Test
  void whatIsDeletedMeanwhileStaysInIt() throws IOException {
    try (StoreFixture fixture = new StoreFixture(data())) {
      for (String path : List.of("a", "b", "c")) {
        fixture.create(path);
        fixture.append(path, "first of " + path);
        fixture.store.flush().join();
      }
      List<Path> segments = StoreFixture.segments(data());
      try (StoreSnapshot snapshot = fixture.store.snapshots().take()) {
        for (String path : List.of("a", "b", "c")) {
          fixture.store.delete(path).join();
        }
        fixture.create("d");
        fixture.append("d", "later");
        fixture.store.flush().join();
        while (segments.stream().anyMatch(Files::exists)) {
          fixture.store.flush().join();
        }

        assertThat(examine(snapshot.root()))
            .satisfies(report -> assertThat(report.damages()).isEmpty())
            .satisfies(report -> assertThat(report.streams()).isEqualTo(3))
            .satisfies(report -> assertThat(report.orphans()).isZero());
      }
      assertThat(snapshotFolder()).isEmptyDirectory();
      assertThat(fixture.read("d")).isEqualTo("later");
    }
    assertThat(examine(data().resolve("objects")).damages()).isEmpty();
  }

  @Test
  void anotherNodeReadsAllThatWasFlushedFromIt() throws IOException {
    Random random = new Random(7);
    StringBuilder[] flushed = new StringBuilder[5];
    Path copy = folder.resolve("copy");
    try (StoreFixture fixture = new StoreFixture(data())) {
      for (int stream = 0; stream < flushed.length; stream++) {
        flushed[stream] = new StringBuilder();
        fixture.create("s" + stream);
      }
      for (int i = 0; i < 60; i++) {
        int stream = random.nextInt(flushed.length);
        String text = "x".repeat(random.nextInt(5_000));
        fixture.append("s" + stream, text);
        flushed[stream].append(text);
        if (random.nextInt(4) == 0) {
          fixture.store.flush().join();
        }
      }
      fixture.store.flush().join();
      fixture.append("s0", "not flushed");
      try (StoreSnapshot snapshot = fixture.store.snapshots().take()) {
        assertThat(snapshot.missingBytes()).isEqualTo("not flushed".length());
        assertThat(snapshot.missingSeconds()).isPositive();
        StoreFixture.copy(snapshot.root(), copy);
      }
    }
    StoreOptions options =
        StoreOptions.embedded()
            .in(embedded -> DirectoryObjectStore.open(copy))
            .owning("there", /* takes= */ true, /* withoutItsWal= */ true);
    try (StoreFixture promoted = new StoreFixture(folder.resolve("promoted"), options)) {
      for (int stream = 0; stream < flushed.length; stream++) {
        assertThat(promoted.read("s" + stream)).isEqualTo(flushed[stream].toString());
      }
      assertThat(promoted.store.epoch()).isEqualTo(2);
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void eachIsWholeWhileStreamsComeAndGo(long seed) throws Exception {
    AtomicBoolean isOver = new AtomicBoolean();
    try (StoreFixture fixture = new StoreFixture(data())) {
      CompletableFuture<Void> writer =
          CompletableFuture.runAsync(() -> change(fixture, new Random(seed), isOver));
      StoreSnapshots snapshots = fixture.store.snapshots();
      long commit = 0;
      try {
        for (int i = 0; i < 15 || commit < 20; i++) {
          try (StoreSnapshot snapshot = snapshots.take()) {
            assertThat(snapshot.commit()).isGreaterThanOrEqualTo(commit);
            commit = snapshot.commit();
            assertThat(examine(snapshot.root()).damages()).as("seed " + seed).isEmpty();
          }
        }
      } finally {
        isOver.set(true);
        writer.join();
      }
      assertThat(snapshotFolder()).isEmptyDirectory();
    }
  }

  private static void change(StoreFixture fixture, Random random, AtomicBoolean isOver) {
    while (!isOver.get()) {
      String path = "s" + random.nextInt(6);
      try {
        switch (random.nextInt(5)) {
          case 0 -> fixture.store.delete(path).join();
          case 1 -> fixture.store.flush().join();
          default -> {
            fixture.create(path);
            fixture.append(path, "x".repeat(random.nextInt(20_000)));
          }
        }
      } catch (IOException failed) {
        throw new UncheckedIOException(failed);
      }
    }
  }

  @Test
  void itIsCurrentUntilTheNextCommit() throws IOException {
    try (StoreFixture fixture = new StoreFixture(data())) {
      fixture.create("a");
      fixture.store.flush().join();
      StoreSnapshots snapshots = fixture.store.snapshots();
      try (StoreSnapshot snapshot = snapshots.take()) {
        assertThat(snapshot.isCurrent()).isTrue();
        assertThat(snapshot.missingBytes()).isZero();
        assertThat(snapshot.missingSeconds()).isZero();
        fixture.append("a", "text");
        assertThat(snapshot.isCurrent()).isTrue();
        fixture.store.flush().join();
        assertThat(snapshot.isCurrent()).isFalse();
        assertThat(snapshot.missingBytes()).isEqualTo(4);
        assertThat(snapshots.open()).isEqualTo(1);
      }
      assertThat(snapshots.open()).isZero();
    }
  }

  @Test
  void checksumsOfSegmentsAreThoseOfTheirBytes() throws IOException {
    int chunkBytes = 4 * SegmentLayout.STRIDE_BYTES;
    try (StoreFixture fixture = new StoreFixture(data())) {
      fixture.create("a");
      for (int i = 0; i < 11; i++) {
        fixture.append("a", Character.toString('a' + i).repeat(100_000));
      }
      fixture.store.flush().join();
      Path segment = StoreFixture.segments(data()).getFirst();
      byte[] bytes = Files.readAllBytes(segment);
      try (StoreSnapshot snapshot = fixture.store.snapshots().take()) {
        String key = data().resolve("objects").relativize(segment).toString();
        int[] checksums = snapshot.checksums(key, chunkBytes);
        assertThat(checksums).hasSize(1_100_000 / chunkBytes);
        for (int chunk = 0; chunk < checksums.length; chunk++) {
          CRC32C crc = new CRC32C();
          crc.update(ByteBuffer.wrap(bytes, chunk * chunkBytes, chunkBytes));
          assertThat(checksums[chunk]).isEqualTo((int) crc.getValue());
        }
        assertThat(snapshot.checksums("owner", chunkBytes)).isEmpty();
      }
    }
  }

  @Test
  void aDamagedFooterIsNamed() throws IOException {
    try (StoreFixture fixture = new StoreFixture(data())) {
      fixture.create("a");
      fixture.append("a", "text");
      fixture.store.flush().join();
      Path segment = StoreFixture.segments(data()).getFirst();
      byte[] bytes = Files.readAllBytes(segment);
      bytes[bytes.length - 20] ^= 1;
      Files.write(segment, bytes);
      String key = data().resolve("objects").relativize(segment).toString();
      try (StoreSnapshot snapshot = fixture.store.snapshots().take()) {
        assertThatThrownBy(() -> snapshot.checksums(key, SegmentLayout.STRIDE_BYTES))
            .isInstanceOf(IOException.class)
            .hasMessageContaining(key);
      }
      bytes[bytes.length - 20] ^= 1;
      Files.write(segment, bytes);
    }
  }

  @Test
  void whatAKilledProcessLeavesIsRemovedByTheNextStart() throws IOException {
    try (StoreFixture fixture = new StoreFixture(data())) {
      fixture.create("a");
    }
    Path left = snapshotFolder().resolve("3/seg/0/1");
    Files.createDirectories(left);
    Files.writeString(left.resolve("old"), "bytes");
    try (StoreFixture fixture = new StoreFixture(data())) {
      assertThat(snapshotFolder()).doesNotExist();
      assertThat(fixture.read("a")).isEmpty();
    }
  }

  @Test
  void aStoreThatIsNoDirectoryOrIsClosedHasNone() throws IOException {
    StoreOptions remote = StoreOptions.embedded().in(embedded -> new MapStore());
    try (StoreFixture fixture = new StoreFixture(data(), remote)) {
      assertThatThrownBy(fixture.store::snapshots).hasMessageContaining("no directory");
    }
    StoreFixture closed = new StoreFixture(folder.resolve("closed"));
    StoreSnapshots snapshots = closed.store.snapshots();
    closed.close();
    assertThatThrownBy(snapshots::take).isInstanceOf(StoreFailedException.class);
    assertThat(folder.resolve("closed/objects/~snapshots")).doesNotExist();
    assertThat(snapshots.open()).isZero();
  }
}
