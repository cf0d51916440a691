package dev.weir.compression.zstd;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class NativeImageMetadataTest {
  private static final String RESOURCE =
      "/META-INF/native-image/dev.weir/weir-compression/reachability-metadata.json";

  @Test
  void aNativeImageIsToldOfEveryCallIntoZstd() throws IOException {
    String expected =
        Stream.of(ZstdFunction.values())
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

  private static String downcall(ZstdFunction function) {
    return "      { \"returnType\": %s, \"parameterTypes\": [%s] }"
        .formatted(
            type(function.type().returnLayout().orElseThrow()),
            function.type().argumentLayouts().stream()
                .map(NativeImageMetadataTest::type)
                .collect(Collectors.joining(", ")));
  }

  private static String type(MemoryLayout layout) {
    if (layout.equals(ValueLayout.JAVA_LONG)) {
      return "\"jlong\"";
    }
    assertThat(layout).isEqualTo(ValueLayout.JAVA_INT);
    return "\"jint\"";
  }
}
