package dev.weir.streams.segments;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.streams.layout.DamagedObjectException;
import dev.weir.streams.objects.ObjectContent.InFile;
import dev.weir.streams.objects.ObjectContent.InMemory;
import dev.weir.streams.objects.ObjectContent.Part;
import dev.weir.streams.objects.PutCondition;
import dev.weir.streams.objects.Requests;
import dev.weir.streams.testing.Flips;
import dev.weir.streams.testing.MapStore;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Segments as they are written and read. */
class SegmentLayoutTest {
  private static final SegmentId ID = new SegmentId(0, 3, 0x12345);
  private static final String KEY = "seg/0/3/0000000000012345";

  private final MapStore store = new MapStore();

  @Test
  void keysAreReadAsTheyAreWritten() {
    assertThat(ID.key()).isEqualTo(KEY);
    assertThat(SegmentId.parse(KEY)).contains(ID);
    for (String key : List.of("seg/0/3/12345", "seg/00/3/0000000000012345", "log/1", KEY + "0")) {
      assertThat(SegmentId.parse(key)).as(key).isEmpty();
    }
  }

  @Test
  void whatIsWrittenFromMemoryAndFilesIsReadBack(@TempDir Path directory) throws IOException {
    byte[] all = random(3 * SegmentLayout.STRIDE_BYTES + 1_000);
    Path file = Files.write(directory.resolve("spool"), Arrays.copyOfRange(all, 50_000, 150_000));
    SegmentWriter writer = new SegmentWriter(ID);
    writer.add(4, 100, List.of(memory(all, 0, 20_000)));
    writer.add(4, 20_100, List.of(memory(all, 20_000, 50_000)));
    writer.add(4, 90_000, List.of(new InFile(file, 0, 70_000)));
    writer.add(9, 0, List.of(new InFile(file, 70_000, 30_000), memory(all, 150_000, all.length)));

    SegmentFooter footer = store(writer.finish());

    assertThat(footer.dataBytes()).isEqualTo(all.length);
    assertThat(footer.strides()).isEqualTo(4);
    assertThat(footer.extents())
        .containsExactly(
            new Extent(4, 100, 0, 50_000),
            new Extent(4, 90_000, 50_000, 70_000),
            new Extent(9, 0, 120_000, all.length - 120_000));
    assertThat(Arrays.copyOf(store.bytes(KEY), all.length)).isEqualTo(all);
    SegmentReader.of(store, footer).verify(0, all.length);
  }

  @Test
  void aSegmentWithoutDataCanBeRead() throws IOException {
    assertThat(store(new SegmentWriter(ID).finish()).extents()).isEmpty();
  }

  @Test
  void aFooterThatIsLargerThanTheFirstReadIsReadWhole() throws IOException {
    SegmentWriter writer = new SegmentWriter(ID);
    byte[] data = random(30_000);
    for (int i = 0; i < data.length; i++) {
      writer.add(i, 1L << 40, List.of(memory(data, i, i + 1)));
    }
    assertThat(store(writer.finish()).extents()).hasSize(data.length);
  }

  @Test
  void streamsThatAreNotSortedAreRefused() throws IOException {
    SegmentWriter writer = new SegmentWriter(ID);
    byte[] data = random(10);
    writer.add(4, 100, List.of(memory(data, 0, 10)));
    assertThatThrownBy(() -> writer.add(3, 0, List.of(memory(data, 0, 1))))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> writer.add(4, 109, List.of(memory(data, 0, 1))))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void everyFlippedByteIsNoticed() throws IOException {
    byte[] object = smallSegment();
    Flips.assertAllNoticed(
        KEY,
        object,
        damaged -> {
          store.set(KEY, damaged);
          SegmentReader reader = SegmentReader.open(store, ID);
          reader.verify(0, reader.footer().dataBytes());
        });
  }

  @Test
  void aFlippedByteOfDataIsToldWithItsStrideAndTheRestIsReadable() throws IOException {
    byte[] all = random(5 * SegmentLayout.STRIDE_BYTES);
    SegmentWriter writer = new SegmentWriter(ID);
    writer.add(1, 0, List.of(memory(all, 0, all.length)));
    store(writer.finish());
    store.set(KEY, Flips.flip(store.bytes(KEY), 3 * SegmentLayout.STRIDE_BYTES + 7));
    SegmentReader reader = SegmentReader.open(store, ID);

    assertThatThrownBy(() -> reader.verify(0, all.length))
        .isInstanceOfSatisfying(
            DamagedObjectException.class,
            damage -> assertThat(damage.offset()).isEqualTo(3 * SegmentLayout.STRIDE_BYTES));
    reader.verify(0, 3 * SegmentLayout.STRIDE_BYTES);
    reader.verify(4 * SegmentLayout.STRIDE_BYTES + 5, 1);
    assertThat(reader.isVerified(0, 3 * SegmentLayout.STRIDE_BYTES)).isTrue();
    assertThat(reader.isVerified(3 * SegmentLayout.STRIDE_BYTES, 1)).isFalse();
    assertThat(reader.isVerified(4 * SegmentLayout.STRIDE_BYTES, 100)).isTrue();
  }

  @Test
  void whatWasWrittenHereIsServedAtOnceAndAScrubFindsALaterFlip() throws IOException {
    byte[] object = smallSegment();
    SegmentReader reader =
        SegmentReader.of(store, SegmentReader.readFooter(store, ID)).markWritten();
    long dataBytes = reader.footer().dataBytes();
    assertThat(reader.isVerified(0, dataBytes)).isTrue();
    reader.verifyAgain(0, dataBytes);
    store.set(KEY, Flips.flip(object, 0));

    reader.verify(0, dataBytes);
    assertThatThrownBy(() -> reader.verifyAgain(0, dataBytes))
        .isInstanceOf(DamagedObjectException.class);
    assertThat(reader.isVerified(0, 1)).isFalse();
    assertThatThrownBy(() -> reader.verify(0, 1)).isInstanceOf(DamagedObjectException.class);
  }

  @Test
  void aMissingSegmentAndAnotherOneAreDamage() throws IOException {
    assertThatThrownBy(() -> SegmentReader.open(store, ID))
        .isInstanceOf(DamagedObjectException.class)
        .hasMessageContaining("missing");
    byte[] object = smallSegment();
    SegmentId other = new SegmentId(0, 3, 7);
    store.set(other.key(), object);
    assertThatThrownBy(() -> SegmentReader.open(store, other))
        .isInstanceOf(DamagedObjectException.class)
        .hasMessageContaining(KEY);
  }

  private byte[] smallSegment() throws IOException {
    byte[] data = random(300);
    SegmentWriter writer = new SegmentWriter(ID);
    writer.add(1, 0, List.of(memory(data, 0, 100)));
    writer.add(2, 70, List.of(memory(data, 100, 300)));
    store(writer.finish());
    return store.bytes(KEY);
  }

  private SegmentFooter store(SegmentWriter.Finished segment) throws IOException {
    Requests.await(store.put(segment.id().key(), segment.content(), PutCondition.ifAbsent()));
    return SegmentReader.readFooter(store, ID);
  }

  private static Part memory(byte[] bytes, int from, int to) {
    return new InMemory(MemorySegment.ofArray(bytes).asSlice(from, to - from));
  }

  private static byte[] random(int bytes) {
    byte[] random = new byte[bytes];
    new Random(bytes).nextBytes(random);
    return random;
  }
}
