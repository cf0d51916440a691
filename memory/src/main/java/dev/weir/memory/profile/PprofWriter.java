package dev.weir.memory.profile;

import java.io.IOException;
import java.io.OutputStream;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.zip.GZIPOutputStream;

/**
 * Turns a profile into pprof's {@code profile.proto}: samples refer to locations, locations to
 * functions, and all of them to a table of strings, by number.
 *
 * @see <a href="https://github.com/google/pprof/blob/main/proto/profile.proto">profile.proto</a>
 */
final class PprofWriter {
  private static final long NANOS_PER_SECOND = 1_000_000_000;

  private final ProtoBytes profile = new ProtoBytes();
  private final Map<String, Long> strings = new HashMap<>();
  private final Map<String, Long> functions = new HashMap<>();
  private final Map<StackTraceElement, Long> locations = new HashMap<>();

  private PprofWriter() {
    string("");
  }

  static void write(LiveProfile live, OutputStream out) throws IOException {
    GZIPOutputStream gzip = new GZIPOutputStream(out);
    gzip.write(new PprofWriter().encode(live, Instant.now()));
    gzip.finish();
  }

  private byte[] encode(LiveProfile live, Instant now) {
    profile.message(1, valueType("inuse_objects", "count"));
    profile.message(1, valueType("inuse_space", "bytes"));
    live.samples().forEach(this::addSample);
    profile
        .number(9, now.getEpochSecond() * NANOS_PER_SECOND + now.getNano())
        .message(11, valueType("space", "bytes"))
        .number(12, live.bytesPerSample())
        .number(14, string("inuse_space"));
    if (live.lostSamples() > 0) {
      profile.numbers(13, string("samples that could not be kept: " + live.lostSamples()));
    }
    return profile.toByteArray();
  }

  private ProtoBytes valueType(String type, String unit) {
    return new ProtoBytes().number(1, string(type)).number(2, string(unit));
  }

  private void addSample(LiveBlocks blocks) {
    List<StackTraceElement> stack = blocks.stack();
    ProtoBytes sample =
        new ProtoBytes()
            .numbers(1, stack.stream().mapToLong(this::location).toArray())
            .numbers(2, Math.round(blocks.blocks()), blocks.bytes())
            .message(
                3, new ProtoBytes().number(1, string("budget")).number(2, string(blocks.budget())))
            .message(3, numberLabel("bytes", blocks.blockBytes(), "bytes"))
            .message(3, numberLabel("age", blocks.ageNanos() / NANOS_PER_SECOND, "seconds"));
    profile.message(2, sample);
  }

  private ProtoBytes numberLabel(String key, long value, String unit) {
    return new ProtoBytes().number(1, string(key)).number(3, value).number(4, string(unit));
  }

  /** Locations, functions and strings are written when they are first referred to. */
  private long location(StackTraceElement frame) {
    Long known = locations.get(frame);
    if (known != null) {
      return known;
    }
    long id = locations.size() + 1L;
    locations.put(frame, id);
    ProtoBytes line =
        new ProtoBytes().number(1, function(frame)).number(2, Math.max(0, frame.getLineNumber()));
    profile.message(4, new ProtoBytes().number(1, id).message(4, line));
    return id;
  }

  private long function(StackTraceElement frame) {
    String name = frame.getClassName() + "." + frame.getMethodName();
    Long known = functions.get(name);
    if (known != null) {
      return known;
    }
    long id = functions.size() + 1L;
    functions.put(name, id);
    String file = frame.getFileName();
    profile.message(
        5,
        new ProtoBytes()
            .number(1, id)
            .number(2, string(name))
            .number(3, string(name))
            .number(4, string(file == null ? "" : file)));
    return id;
  }

  private long string(String text) {
    Long known = strings.get(text);
    if (known != null) {
      return known;
    }
    long index = strings.size();
    strings.put(text, index);
    profile.text(6, text);
    return index;
  }
}
