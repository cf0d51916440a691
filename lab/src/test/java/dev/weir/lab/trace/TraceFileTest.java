package dev.weir.lab.trace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TraceFileTest {
  /** Of which most says nothing, such as the time (RFC 1952). */
  private static final int GZIP_HEADER_BYTES = 10;

  @TempDir Path folder;
  private Path file;

  @BeforeEach
  void name() {
    file = folder.resolve("a.trace");
  }

  @Test
  void whatWasWrittenIsRead() throws IOException {
    long seed = Long.getLong("weir.test.seed", System.nanoTime());
    RecordingSink written = new RecordingSink();
    TraceTotals totals = writeRandom(seed, 60_000, written);
    assertThat(Files.size(file)).isGreaterThan(2 * TraceLayout.MAX_CHUNK_BYTES);

    RecordingSink read = new RecordingSink();
    TotalsSink sums = new TotalsSink();
    try (TraceReader reader = TraceReader.open(file)) {
      assertThat(reader.totals()).isEqualTo(totals);
      reader.drainTo(read);
      assertThat(reader.step(read)).isFalse();
    }
    assertThat(read.events)
        .as("replay with -Dtest=TraceFileTest -Dweir.test.seed=%d", seed)
        .isEqualTo(written.events);
    try (TraceReader reader = TraceReader.open(file)) {
      reader.drainTo(sums);
    }
    assertThat(sums.totals()).isEqualTo(totals);
  }

  @Test
  void aFileCutAnywhereIsRefusedInOneLine() throws IOException {
    writeRandom(1, 50, new RecordingSink());
    byte[] whole = Files.readAllBytes(file);
    for (int length = 0; length < whole.length; length++) {
      Files.write(file, Arrays.copyOf(whole, length));
      refused();
    }
  }

  @Test
  void aFlippedBitAnywhereIsNoticed() throws IOException {
    writeRandom(2, 50, new RecordingSink());
    byte[] whole = Files.readAllBytes(file);
    for (int at = 0; at < whole.length; at++) {
      for (int bit = 0; bit < 8; bit++) {
        byte[] damaged = whole.clone();
        damaged[at] ^= (byte) (1 << bit);
        Files.write(file, damaged);
        refused();
      }
    }
  }

  @Test
  void aTraceCompressedWithGzipIsReadAsItWas() throws IOException {
    RecordingSink written = new RecordingSink();
    TraceTotals totals = writeRandom(8, 60_000, written);
    byte[] whole = Files.readAllBytes(file);
    Files.write(file, gzip(whole));

    RecordingSink read = new RecordingSink();
    try (TraceReader reader = TraceReader.open(file)) {
      assertThat(reader.totals()).isEqualTo(totals);
      reader.drainTo(read);
    }
    assertThat(read.events).isEqualTo(written.events);

    Files.write(file, gzip(Arrays.copyOf(whole, whole.length + 1)));
    assertThat(refused()).contains("more follows its end");
    Files.write(file, gzip(Arrays.copyOf(whole, whole.length / 2)));
    assertThat(refused()).contains("is cut off");
  }

  @Test
  void aGzipFileCutAnywhereIsRefusedInOneLine() throws IOException {
    writeRandom(9, 50, new RecordingSink());
    byte[] packed = gzip(Files.readAllBytes(file));
    for (int length = 0; length < packed.length; length++) {
      Files.write(file, Arrays.copyOf(packed, length));
      refused();
    }
  }

  /** A bit that fills up the last byte of the compressed data, or of the header, says nothing. */
  @Test
  void aFlippedBitInAGzipFileIsRefusedInOneLineOrSaysNothing() throws IOException {
    RecordingSink written = new RecordingSink();
    writeRandom(10, 50, written);
    byte[] packed = gzip(Files.readAllBytes(file));
    int refusals = 0;
    for (int at = 0; at < packed.length; at++) {
      byte[] damaged = packed.clone();
      damaged[at] ^= (byte) (1 << at % 8);
      Files.write(file, damaged);
      RecordingSink read = new RecordingSink();
      try (TraceReader reader = TraceReader.open(file)) {
        reader.drainTo(read);
        assertThat(read.events).isEqualTo(written.events);
      } catch (TraceFormatException refused) {
        assertThat(refused.getMessage().lines()).hasSize(1);
        refusals++;
      }
    }
    assertThat(refusals).isBetween(packed.length - GZIP_HEADER_BYTES, packed.length);
  }

  private static byte[] gzip(byte[] bytes) throws IOException {
    ByteArrayOutputStream packed = new ByteArrayOutputStream();
    try (GZIPOutputStream gzip = new GZIPOutputStream(packed)) {
      gzip.write(bytes);
    }
    return packed.toByteArray();
  }

  @Test
  void aTraceOfTheFirstVersionIsStillRead() throws IOException {
    Files.write(
        file,
        HexFormat.of()
            .parseHex(
                "574549525452414301000100010000000300000000000000010000000000000064000000000000006400000000000000"
                    + "6400000000000000e803000000000000")); // up to the checksum
    byte[] header = Files.readAllBytes(file);
    ByteBuffer payload = ByteBuffer.allocate(5);
    payload.put(new byte[] {(byte) 0x91, 0x03}); // 100 << 2 | ALLOCATE
    payload.put(new byte[] {(byte) 0xa2, 0x1f}); // 1000 << 2 | PAUSE
    payload.put(new byte[] {0}).flip(); // slot 0 << 2 | RELEASE
    ByteBuffer whole = TraceLayout.buffer(68 + 8 + 5 + 8);
    whole.put(header).putInt(TraceLayout.crc(whole, 64));
    whole.putInt(5).putInt(TraceLayout.crc(payload, 5)).put(payload).putLong(0);
    Files.write(file, whole.array());
    RecordingSink read = new RecordingSink();
    try (TraceReader reader = TraceReader.open(file)) {
      reader.drainTo(read);
      assertThat(reader.totals().threads()).isEqualTo(1);
    }
    assertThat(read.events).containsExactly("allocate 0 100", "pause 1000", "release 0");
  }

  @Test
  void whatFollowsTheEndIsNoticed() throws IOException {
    writeRandom(3, 50, new RecordingSink());
    Files.write(file, new byte[1], java.nio.file.StandardOpenOption.APPEND);
    assertThat(refused()).contains("more follows its end");
  }

  @Test
  void aTraceThatWasNotFinishedIsRefused() throws IOException {
    TraceTotals totals = writeRandom(4, 50, new RecordingSink());
    putHeader(new TraceLayout.Header(/* complete= */ false, totals));
    assertThat(refused()).endsWith("is half a trace: whoever wrote it did not finish");
  }

  @Test
  void aFileStaysAsItWasUntilAnotherIsFinished() throws IOException {
    writeRandom(5, 50, new RecordingSink());
    byte[] before = Files.readAllBytes(file);
    try (TraceWriter writer = TraceWriter.create(file)) {
      writer.allocate(0, 100);
    }
    assertThat(file).hasBinaryContent(before);
    assertThat(folder).isDirectoryNotContaining(each -> !each.equals(file));
  }

  @Test
  void aLinkStaysOneWhenTheFileBehindItIsReplaced() throws IOException {
    Path behind = folder.resolve("behind.trace");
    Files.writeString(behind, "older");
    Files.createSymbolicLink(file, behind);
    writeRandom(6, 50, new RecordingSink());
    assertThat(file).isSymbolicLink();
    try (TraceReader reader = TraceReader.open(behind)) {
      reader.drainTo(new TotalsSink());
    }
  }

  @Test
  void aHeaderThatDoesNotTellWhatItAddsUpToIsRefused() throws IOException {
    TraceTotals totals = writeRandom(7, 50, new RecordingSink());
    for (TraceTotals lie : lies(totals)) {
      putHeader(new TraceLayout.Header(/* complete= */ true, lie));
      assertThat(refused()).contains(lie.toString());
    }
  }

  private static List<TraceTotals> lies(TraceTotals of) {
    List<TraceTotals> lies = new ArrayList<>();
    for (int field = 0; field < 11; field++) {
      int[] more = new int[11];
      more[field] = 1;
      lies.add(
          new TraceTotals(
              of.events() + more[0],
              of.allocations() + more[1],
              of.allocatedBytes() + more[2],
              of.releasedBytes() + more[3],
              of.peakLiveBytes() + more[4],
              of.slots() + more[5],
              of.pausedMicros() + more[6],
              of.threads() + more[7],
              of.growths() + more[8],
              of.older() + more[9],
              of.lost() + more[10]));
    }
    return lies;
  }

  private void putHeader(TraceLayout.Header header) throws IOException {
    byte[] bytes = Files.readAllBytes(file);
    TraceLayout.encodeHeader(header).get(bytes, 0, TraceLayout.HEADER_BYTES);
    Files.write(file, bytes);
  }

  @Test
  void aPauseOfMoreThanAnHourAndManyPhasesAreRefused() throws IOException {
    TraceForge pause = new TraceForge();
    pause.number(TraceLayout.PAUSE, TraceLayout.MAX_PAUSE_MICROS + 1);
    pause.write(file);
    assertThat(refused()).contains("a pause of 3,600,000,001 µs");

    TraceForge phases = new TraceForge();
    for (int i = 0; i <= TraceLayout.MAX_PHASES; i++) {
      phases.number(TraceLayout.PHASE, 0);
    }
    phases.write(file);
    assertThat(refused()).contains("more than 4,096 phases");
  }

  /**
   * Events at random, with checksums that are right: whatever comes of it is a trace or refused.
   */
  @Test
  void whateverEventsAreInAFileItIsReadOrRefused() throws IOException {
    long seed = Long.getLong("weir.test.seed", System.nanoTime());
    Random random = new Random(seed);
    for (int run = 0; run < 2_000; run++) {
      TraceForge forge = new TraceForge();
      byte[] events = new byte[random.nextInt(200)];
      random.nextBytes(events);
      forge.bytes(events);
      for (int i = random.nextInt(20); i > 0; i--) {
        forge.number(random.nextInt(8), random.nextLong(1L << random.nextInt(1, 60)));
      }
      forge.write(file);
      try (TraceReader reader = TraceReader.open(file)) {
        reader.drainTo(new TotalsSink());
      } catch (TraceFormatException refused) {
        assertThat(refused.getMessage().lines()).hasSize(1);
      } catch (RuntimeException | Error failed) {
        throw new AssertionError(
            "replay with -Dtest=TraceFileTest -Dweir.test.seed=" + seed, failed);
      }
    }
  }

  @Test
  void anotherFileIsNoTrace() throws IOException {
    Files.writeString(file, "a text that is longer than the header of a trace ".repeat(3));
    assertThat(refused()).isEqualTo("'" + file + "' is no trace");
    assertThatThrownBy(() -> TraceReader.open(folder.resolve("none")))
        .isInstanceOf(IOException.class)
        .hasMessage("no trace '" + folder.resolve("none") + "'");
  }

  @Test
  void theWriterTakesOnlyWhatMakesSense() throws IOException {
    try (TraceWriter writer = TraceWriter.create(file)) {
      writer.allocate(0, 1);
      assertThatThrownBy(() -> writer.allocate(5, 1)).isInstanceOf(IllegalArgumentException.class);
      assertThatThrownBy(() -> writer.release(7)).isInstanceOf(IllegalArgumentException.class);
      assertThatThrownBy(() -> writer.pause(0)).isInstanceOf(IllegalArgumentException.class);
      assertThatThrownBy(() -> writer.grow(7, 1)).isInstanceOf(IllegalArgumentException.class);
      assertThatThrownBy(() -> writer.thread(65_536)).isInstanceOf(IllegalArgumentException.class);
      assertThatThrownBy(() -> writer.lost(0)).isInstanceOf(IllegalArgumentException.class);
    }
    assertThatThrownBy(() -> new TracePhase("ä".repeat(101), TracePhase.Kind.COUNTED))
        .isInstanceOf(IllegalArgumentException.class);
  }

  /** Reads the file to its end, which must fail; returns the message. */
  private String refused() {
    List<String> message = new ArrayList<>();
    assertThatThrownBy(
            () -> {
              try (TraceReader reader = TraceReader.open(file)) {
                reader.drainTo(new TotalsSink());
              }
            })
        .isInstanceOf(TraceFormatException.class)
        .hasMessageContaining(file.toString())
        .satisfies(failure -> message.add(failure.getMessage()));
    assertThat(message.getFirst().lines()).hasSize(1);
    return message.getFirst();
  }

  private TraceTotals writeRandom(long seed, int count, TraceSink also) throws IOException {
    Random random = new Random(seed);
    SlotNumbers slots = new SlotNumbers();
    List<Integer> live = new ArrayList<>();
    try (TraceWriter writer = TraceWriter.create(file)) {
      for (int i = 0; i < count; i++) {
        int lot = random.nextInt(100);
        if (lot == 0) {
          TracePhase phase =
              new TracePhase("größer " + i, TracePhase.Kind.values()[random.nextInt(4)]);
          writer.phase(phase);
          also.phase(phase);
        } else if (lot == 1) {
          long micros = 1 + random.nextLong(TraceLayout.MAX_PAUSE_MICROS);
          writer.pause(micros);
          also.pause(micros);
        } else if (lot == 2) {
          int thread = random.nextInt(100);
          writer.thread(thread);
          also.thread(thread);
        } else if (lot == 3) {
          long events = 1 + random.nextLong(1L << 40);
          writer.lost(events);
          also.lost(events);
        } else if (lot == 4 && !live.isEmpty()) {
          int slot = live.get(random.nextInt(live.size()));
          int bytes = 1 + random.nextInt(1 << (1 + random.nextInt(30)));
          writer.grow(slot, bytes);
          also.grow(slot, bytes);
        } else if (lot < 57 || live.isEmpty()) {
          int slot = slots.take();
          int bytes = 1 + random.nextInt(1 << (1 + random.nextInt(30)));
          live.add(slot);
          writer.allocate(slot, bytes);
          also.allocate(slot, bytes);
        } else {
          int slot = live.remove(random.nextInt(live.size()));
          slots.tryGive(slot);
          writer.release(slot);
          also.release(slot);
        }
      }
      return writer.finish();
    }
  }
}
