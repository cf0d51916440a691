package dev.weir.lab.recording;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.lab.LabCommand;
import dev.weir.lab.trace.RecordingSink;
import dev.weir.lab.trace.TraceReader;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.PooledByteBufAllocator;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import jdk.jfr.Recording;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** Recordings of Netty's own allocator in this JVM. */
class ImportCommandTest {
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  @TempDir Path folder;

  @Test
  void aRecordingOfNettyBecomesATrace() throws IOException {
    ByteBufAllocator netty = new PooledByteBufAllocator(/* preferDirect= */ true);
    Path recording =
        record(() -> {
          ByteBuf first = netty.directBuffer(100);
          ByteBuf heap = netty.heapBuffer(1_000);
          ByteBuf growing = netty.directBuffer(5_000, 100_000).capacity(90_000);
          first.release();
          heap.release();
          netty.directBuffer(70).release();
          growing.release();
        });
    Path trace = folder.resolve("a.trace");
    assertThat(lab("import", recording.toString(), "-o", trace.toString())).isZero();
    assertThat(err.toString()).isEmpty();
    assertThat(out.toString()).contains("a.trace: 3 buffers of 0.1 MiB on 1 threads");

    RecordingSink sink = new RecordingSink();
    try (TraceReader reader = TraceReader.open(trace)) {
      reader.drainTo(sink);
    }
    assertThat(sink.events.getFirst()).contains("recorded").doesNotContain("a.jfr");
    List<String> blocks =
        sink.events.stream().filter(event -> event.matches("(allocate|release|grow).*")).toList();
    assertThat(blocks)
        .containsExactly(
            "allocate 0 100",
            "allocate 1 5000",
            "grow 1 90000",
            "release 0",
            "allocate 0 70",
            "release 0",
            "release 1");

    out.getBuffer().setLength(0);
    assertThat(lab("sizes", trace.toString())).isZero();
    assertThat(out.toString().lines())
        .containsExactly(
            "# 3 blocks, 1,723 bytes in the mean, half of them up to 100, 99 % up to 5,000",
            "70 1", "100 1", "5000 1");
  }

  @Test
  void aTraceEndsAfterAsManyEventsAsItIsToHave() throws IOException {
    Path recording =
        record(() -> {
          ByteBufAllocator netty = new PooledByteBufAllocator(/* preferDirect= */ true);
          for (int i = 1; i <= 100; i++) {
            netty.directBuffer(i).release();
          }
        });
    Path trace = folder.resolve("a.trace");
    assertThat(lab("import", recording.toString(), "-o", trace.toString(), "--events", "5"))
        .isZero();
    RecordingSink sink = new RecordingSink();
    try (TraceReader reader = TraceReader.open(trace)) {
      reader.drainTo(sink);
    }
    List<String> blocks = sink.events.stream().filter(event -> !event.startsWith("pause")).toList();
    assertThat(blocks).hasSize(6);
    assertThat(blocks.subList(1, 3)).containsExactly("allocate 0 1", "release 0");

    assertThat(lab("import", recording.toString(), "-o", trace.toString(), "--events", "0"))
        .isEqualTo(CommandLine.ExitCode.USAGE);
    assertThat(err.toString().lines().findFirst().orElseThrow()).contains("--events");
  }

  @Test
  void sizesOfWhatIsNoTraceAreRefusedInOneLine() throws IOException {
    Path text = Files.writeString(folder.resolve("text.trace"), "a text");
    assertThat(lab("sizes", text.toString())).isEqualTo(CommandLine.ExitCode.USAGE);
    assertThat(err.toString().lines().findFirst().orElseThrow()).contains("text.trace");
  }

  @Test
  void whatIsNoRecordingOfBuffersIsRefusedInOneLine() throws IOException {
    Path nothing = record(() -> {});
    assertThat(refused(nothing)).contains("tells of no direct buffers: record with io.netty");

    Path half = folder.resolve("half.jfr");
    byte[] whole = Files.readAllBytes(nothing);
    Files.write(half, Arrays.copyOf(whole, whole.length / 2));
    assertThat(refused(half)).contains("half.jfr' is no whole recording");

    Path text = Files.writeString(folder.resolve("text.jfr"), "a text ".repeat(100));
    assertThat(refused(text)).contains("text.jfr' is no whole recording");
    assertThat(refused(folder.resolve("none.jfr"))).contains("no recording");
  }

  @Test
  void aRecordingIsNotReplacedByItsTrace() throws IOException {
    Path recording = record(() -> PooledByteBufAllocator.DEFAULT.directBuffer(100).release());
    byte[] before = Files.readAllBytes(recording);
    Path link = Files.createSymbolicLink(folder.resolve("link.trace"), recording);
    for (Path output : List.of(recording, link)) {
      err.getBuffer().setLength(0);
      assertThat(lab("import", recording.toString(), "-o", output.toString()))
          .isEqualTo(CommandLine.ExitCode.USAGE);
      assertThat(err.toString().lines().findFirst().orElseThrow()).contains("--output");
      assertThat(recording).hasBinaryContent(before);
    }
  }

  private String refused(Path recording) {
    err.getBuffer().setLength(0);
    String trace = folder.resolve("refused.trace").toString();
    assertThat(lab("import", recording.toString(), "-o", trace))
        .isEqualTo(CommandLine.ExitCode.USAGE);
    assertThat(Path.of(trace)).doesNotExist();
    return err.toString().lines().findFirst().orElseThrow();
  }

  private Path record(Runnable service) throws IOException {
    Path file = folder.resolve("a.jfr");
    try (Recording recording = new Recording()) {
      for (String event : List.of("AllocateBuffer", "FreeBuffer", "ReallocateBuffer")) {
        recording.enable("io.netty." + event).withoutStackTrace();
      }
      recording.start();
      service.run();
      recording.stop();
      recording.dump(file);
    }
    return file;
  }

  private int lab(String... arguments) {
    return new CommandLine(new LabCommand())
        .setOut(new PrintWriter(out, true))
        .setErr(new PrintWriter(err, true))
        .execute(arguments);
  }
}
