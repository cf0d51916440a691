package dev.weir.replication.manifest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ManifestTest {
  private static final long MIB = 1 << 20;

  @TempDir private Path folder;

  /** Chunks as text: a checksum, or a hole. */
  private record Model(Entry entry, List<String> chunks) {}

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
  void whatIsWrittenIsRead(long seed) throws IOException {
    Random random = new Random(seed);
    List<Model> models = new ArrayList<>();
    Path file = folder.resolve("manifest");
    try (ManifestWriter writer = new ManifestWriter(Files.newOutputStream(file))) {
      for (int i = 0; i < 60; i++) {
        models.add(write(writer, "%05d".formatted(i), random));
      }
      writer.end();
      assertThat(ManifestReader.check(file)).isEqualTo(writer.summary());
    }

    List<Model> read = new ArrayList<>();
    try (ManifestReader reader = ManifestReader.open(file)) {
      for (Entry entry = reader.next(); entry != null; entry = reader.next()) {
        read.add(new Model(entry, chunks(reader)));
      }
    }
    assertThat(read).as("seed " + seed).isEqualTo(models);
  }

  private static Model write(ManifestWriter writer, String name, Random random) throws IOException {
    List<String> chunks = new ArrayList<>();
    if (random.nextInt(4) == 0) {
      writer.directory(name, 0750);
      return new Model(new Entry(true, name, 0750, 0), chunks);
    }
    long size = random.nextLong(random.nextInt(5) == 0 ? 1 : 1000 * MIB);
    writer.file(name, 0644, size);
    for (long left = ManifestLayout.chunks(size); left > 0; ) {
      if (random.nextInt(3) == 0) {
        long hole = 1 + random.nextLong(left);
        writer.hole(hole);
        chunks.addAll(java.util.Collections.nCopies((int) hole, "hole"));
        left -= hole;
      } else {
        int crc = random.nextInt();
        writer.data(crc);
        chunks.add(Integer.toString(crc));
        left--;
      }
    }
    return new Model(new Entry(false, name, 0644, size), chunks);
  }

  private static List<String> chunks(ManifestReader reader) throws IOException {
    List<String> chunks = new ArrayList<>();
    for (Run run = reader.nextRun(); run != null; run = reader.nextRun()) {
      assertThat(run.firstChunk()).isEqualTo(chunks.size());
      for (int i = 0; i < run.chunks(); i++) {
        chunks.add(run.isHole() ? "hole" : Integer.toString(run.crc(i)));
      }
    }
    return chunks;
  }

  @Test
  void aFileOfHolesNeedsNoMemoryForThem() throws IOException {
    Path file = folder.resolve("manifest");
    long size = Long.MAX_VALUE;
    try (ManifestWriter writer = new ManifestWriter(Files.newOutputStream(file))) {
      writer.file("huge", 0644, size);
      writer.hole(ManifestLayout.chunks(size));
      writer.end();
    }
    assertThat(ManifestReader.check(file)).isEqualTo(new Summary(1, size, 0));
    assertThat(Files.size(file)).isLessThan(100_000);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          ..            | has the name '..'
          a/../b        | has the name '..'
          ./a           | has the name '.'
          /etc/passwd   | is absolute
          a//b          | has the name ''
          missing/b     | is in no directory
          file/b        | is in no directory
          0             | out of order
          file          | comes twice
          """)
  void aPathThatLeadsElsewhereIsRefused(String path, String reason) throws IOException {
    Path file = folder.resolve("manifest");
    try (ManifestWriter writer = new ManifestWriter(Files.newOutputStream(file))) {
      writer.directory("a", 0755);
      writer.file("file", 0644, 0);
      writer.file(path, 0644, 0);
      writer.end();
    }
    assertRefused(file, reason);
  }

  @Test
  void namesThatAreTooLongOrTooDeepAreRefused() throws IOException {
    PathOrder order = new PathOrder();
    assertThatThrownBy(() -> order.accept("x".repeat(256), false)).hasMessageContaining("255");
    assertThatThrownBy(() -> order.accept("x/".repeat(128) + "x", false))
        .hasMessageContaining("deeper");
    assertThatThrownBy(() -> order.accept("a\0b", false)).hasMessageContaining("NUL");
  }

  @Test
  void whatLiesAboutItselfIsRefused() throws IOException {
    assertRefused(raw(out -> entry(out, 2, "f", 0644, -1)), "has -1 bytes");
    assertRefused(raw(out -> entry(out, 2, "f", 07777, 0)), "has the mode 7777");
    assertRefused(raw(out -> entry(out, 9, "f", 0644, 0)), "of the kind 9");
    assertRefused(raw(out -> entry(out, 2, "f", 0644, 1L << 62)), "it ends early");
    assertRefused(
        raw(out -> {
          entry(out, 2, "f", 0644, MIB);
          out.writeInt(2);
        }),
        "a run of 2 chunks");
    assertRefused(
        raw(out -> {
          entry(out, 2, "f", 0644, 1000 * MIB);
          out.writeInt(1000);
        }),
        "a run of 1000 chunks");
    assertRefused(
        raw(out -> {
          entry(out, 2, "a", 0644, Long.MAX_VALUE);
          long chunks = ManifestLayout.chunks(Long.MAX_VALUE);
          for (; chunks > 0; chunks -= Math.min(chunks, Integer.MAX_VALUE)) {
            out.writeInt((int) -Math.min(chunks, Integer.MAX_VALUE));
          }
          entry(out, 2, "b", 0644, 1);
        }),
        "more than 2^63 bytes");
  }

  @Test
  void aByteThatIsFlippedOrMissingIsNoticed() throws IOException {
    Path file = folder.resolve("manifest");
    try (ManifestWriter writer = new ManifestWriter(Files.newOutputStream(file))) {
      writer.file("file", 0644, 3 * MIB);
      writer.data(1);
      writer.data(2);
      writer.hole(1);
      writer.end();
    }
    byte[] whole = Files.readAllBytes(file);
    for (int i = 0; i < whole.length; i++) {
      byte[] damaged = whole.clone();
      damaged[i] ^= 1;
      Files.write(file, damaged);
      int at = i;
      assertThatThrownBy(() -> ManifestReader.check(file))
          .as("byte " + at)
          .isInstanceOf(ManifestException.class);
      Files.write(file, java.util.Arrays.copyOf(whole, i));
      assertThatThrownBy(() -> ManifestReader.check(file))
          .as("cut at " + at)
          .isInstanceOf(ManifestException.class);
    }
    Files.write(file, java.util.Arrays.copyOf(whole, whole.length + 1));
    assertRefused(file, "something follows its end");
  }

  private interface Body {
    void write(DataOutputStream out) throws IOException;
  }

  private Path raw(Body body) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    DataOutputStream out = new DataOutputStream(bytes);
    out.writeLong(ManifestLayout.MAGIC);
    out.writeInt(ManifestLayout.CHUNK_BYTES);
    body.write(out);
    Path file = folder.resolve("raw");
    Files.write(file, bytes.toByteArray());
    return file;
  }

  private static void entry(DataOutputStream out, int kind, String path, int mode, long size)
      throws IOException {
    byte[] name = path.getBytes(StandardCharsets.UTF_8);
    out.writeByte(kind);
    out.writeShort(name.length);
    out.write(name);
    out.writeShort(mode);
    out.writeLong(size);
  }

  private static void assertRefused(Path file, String reason) {
    assertThatThrownBy(() -> ManifestReader.check(file))
        .isInstanceOf(ManifestException.class)
        .hasMessageContaining("the manifest is refused")
        .hasMessageContaining(reason);
  }

  @Test
  void theTagIsTheDigestOfTheFile() throws Exception {
    Path file = folder.resolve("manifest");
    String tag;
    try (ManifestWriter writer = new ManifestWriter(Files.newOutputStream(file))) {
      writer.directory("d", 0755);
      tag = writer.end();
    }
    byte[] digest = Sha256.start().digest(Files.readAllBytes(file));
    assertThat(java.util.HexFormat.of().formatHex(digest)).isEqualTo(tag);
  }

  @Test
  void aMillionEntriesAreWrittenAndReadOneByOne() throws IOException {
    // The bound itself: neither side keeps what has passed. A small heap would not hold them.
    Path file = folder.resolve("manifest");
    try (OutputStream out = Files.newOutputStream(file);
        ManifestWriter writer = new ManifestWriter(out)) {
      for (int i = 0; i < 1_000_000; i++) {
        writer.file("%07d".formatted(i), 0644, 1);
        writer.data(i);
      }
      writer.end();
    }
    assertThat(ManifestReader.check(file)).isEqualTo(new Summary(1_000_000, 1_000_000, 1_000_000));
  }
}
