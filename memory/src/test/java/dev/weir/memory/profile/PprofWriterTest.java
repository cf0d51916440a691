package dev.weir.memory.profile;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.CodedInputStream;
import com.google.protobuf.UnknownFieldSet;
import com.google.protobuf.UnknownFieldSet.Field;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.Test;

/** Reads what was written with Google's own decoder, and the field numbers of profile.proto. */
class PprofWriterTest {
  private static final StackTraceElement READ =
      new StackTraceElement("com.example.Reader", "read", "Reader.java", 17);
  private static final StackTraceElement MAIN =
      new StackTraceElement("com.example.Main", "main", "Main.java", 200);
  private static final StackTraceElement NATIVE =
      new StackTraceElement("com.example.Loop", "run", null, -2);

  private static final LiveProfile PROFILE =
      new LiveProfile(
          512 << 10,
          3,
          List.of(
              new LiveBlocks(
                  "pool/uploads", 1_024, 512.4, TimeUnit.SECONDS.toNanos(31), List.of(READ, MAIN)),
              new LiveBlocks("pool", 8L << 30, 1, 0, List.of(READ, NATIVE))));

  private UnknownFieldSet decoded() throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    PROFILE.writePprof(out);
    byte[] message =
        new GZIPInputStream(new ByteArrayInputStream(out.toByteArray())).readAllBytes();
    return UnknownFieldSet.parseFrom(message);
  }

  private static List<UnknownFieldSet> messages(Field field) throws IOException {
    List<UnknownFieldSet> parsed = new ArrayList<>();
    for (var bytes : field.getLengthDelimitedList()) {
      parsed.add(UnknownFieldSet.parseFrom(bytes));
    }
    return parsed;
  }

  private static List<Long> packed(Field field) throws IOException {
    List<Long> values = new ArrayList<>();
    for (var bytes : field.getLengthDelimitedList()) {
      CodedInputStream in = bytes.newCodedInput();
      while (!in.isAtEnd()) {
        values.add(in.readInt64());
      }
    }
    return values;
  }

  private static long number(UnknownFieldSet message, int field) {
    List<Long> values = message.getField(field).getVarintList();
    return values.isEmpty() ? 0 : values.getLast();
  }

  private static String text(UnknownFieldSet profile, long index) {
    return profile.getField(6).getLengthDelimitedList().get((int) index).toStringUtf8();
  }

  @Test
  void theHeaderSaysWhatIsCounted() throws IOException {
    UnknownFieldSet profile = decoded();
    List<String> types = new ArrayList<>();
    for (UnknownFieldSet type : messages(profile.getField(1))) {
      types.add(text(profile, number(type, 1)) + "/" + text(profile, number(type, 2)));
    }

    assertThat(text(profile, 0)).isEmpty();
    assertThat(types).containsExactly("inuse_objects/count", "inuse_space/bytes");
    assertThat(number(profile, 12)).isEqualTo(512 << 10);
    assertThat(text(profile, number(profile, 14))).isEqualTo("inuse_space");
    assertThat(number(profile, 9)).isPositive();
    assertThat(packed(profile.getField(13)))
        .singleElement()
        .satisfies(index -> assertThat(text(profile, index)).contains("3"));
  }

  @Test
  void everySampleLeadsToItsFunctionsAndLines() throws IOException {
    UnknownFieldSet profile = decoded();
    Map<Long, String> functions = new HashMap<>();
    for (UnknownFieldSet function : messages(profile.getField(5))) {
      functions.put(
          number(function, 1),
          text(profile, number(function, 2)) + " " + text(profile, number(function, 4)));
    }
    Map<Long, String> locations = new HashMap<>();
    for (UnknownFieldSet location : messages(profile.getField(4))) {
      UnknownFieldSet line = messages(location.getField(4)).getFirst();
      locations.put(number(location, 1), functions.get(number(line, 1)) + ":" + number(line, 2));
    }
    List<UnknownFieldSet> samples = messages(profile.getField(2));

    assertThat(samples).hasSize(2);
    assertThat(packed(samples.get(0).getField(1)).stream().map(locations::get))
        .containsExactly(
            "com.example.Reader.read Reader.java:17", "com.example.Main.main Main.java:200");
    assertThat(packed(samples.get(0).getField(2))).containsExactly(512L, 524_698L);
    assertThat(packed(samples.get(1).getField(1)).stream().map(locations::get))
        .containsExactly("com.example.Reader.read Reader.java:17", "com.example.Loop.run :0");
    assertThat(packed(samples.get(1).getField(2))).containsExactly(1L, 8L << 30);
    assertThat(locations).as("each once").hasSize(3);
  }

  @Test
  void labelsNameTheBudgetTheSizeAndTheAge() throws IOException {
    UnknownFieldSet profile = decoded();
    Map<String, String> labels = new HashMap<>();
    for (UnknownFieldSet label : messages(messages(profile.getField(2)).getFirst().getField(3))) {
      String value =
          label.hasField(2) ? text(profile, number(label, 2)) : Long.toString(number(label, 3));
      String unit = label.hasField(4) ? " " + text(profile, number(label, 4)) : "";
      labels.put(text(profile, number(label, 1)), value + unit);
    }

    assertThat(labels)
        .containsOnly(
            Map.entry("budget", "pool/uploads"),
            Map.entry("bytes", "1024 bytes"),
            Map.entry("age", "31 seconds"));
  }
}
