package dev.weir.memory.os;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class NativeImageMetadataTest {
  private static final String RESOURCE =
      "/META-INF/native-image/dev.weir/weir-memory/reachability-metadata.json";

  @Test
  void aNativeImageIsToldOfEveryCallIntoTheCLibrary() throws IOException {
    String expected =
        Stream.of(CFunction.values())
            .map(NativeImageMetadataTest::downcall)
            .distinct()
            .collect(
                Collectors.joining(
                    ",\n", "{\n  \"foreign\": {\n    \"downcalls\": [\n", "\n    ]\n  }\n}\n"));
    try (InputStream resource =
        requireNonNull(NativeImageMetadataTest.class.getResourceAsStream(RESOURCE))) {
      assertThat(new String(resource.readAllBytes(), StandardCharsets.UTF_8)).isEqualTo(expected);
    }
  }

  private static String downcall(CFunction function) {
    List<String> options = new ArrayList<>();
    if (function.capturesErrno()) {
      options.add("\"captureCallState\": true");
    }
    if (function.firstVariadicArg() != CFunction.NOT_VARIADIC) {
      options.add("\"firstVariadicArg\": " + function.firstVariadicArg());
    }
    return "      { \"returnType\": %s, \"parameterTypes\": [%s]%s }"
        .formatted(
            function.type().returnLayout().map(NativeImageMetadataTest::type).orElse("\"void\""),
            function.type().argumentLayouts().stream()
                .map(NativeImageMetadataTest::type)
                .collect(Collectors.joining(", ")),
            options.isEmpty() ? "" : ", \"options\": { " + String.join(", ", options) + " }");
  }

  private static String type(MemoryLayout layout) {
    if (layout.equals(ValueLayout.JAVA_LONG)) {
      return "\"jlong\"";
    }
    assertThat(layout).isEqualTo(ValueLayout.JAVA_INT);
    return "\"jint\"";
  }
}
