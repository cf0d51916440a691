package dev.weir.memory.os;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.memory.jmx.PoolBean;
import dev.weir.memory.jmx.PoolMXBean;
import java.io.IOException;
import java.io.InputStream;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.ValueLayout;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.PlatformManagedObject;
import java.lang.reflect.Method;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class NativeImageMetadataTest {
  private static final String RESOURCE =
      "/META-INF/native-image/dev.weir/weir-memory/reachability-metadata.json";

  /** What the management server looks at of a pool's bean, and what its clients make. */
  @Test
  void aNativeImageIsToldWhatAManagedPoolIsMadeOf() throws IOException {
    String expected =
        Stream.of(PlatformManagedObject.class, BufferPoolMXBean.class, PoolMXBean.class)
                .map(NativeImageMetadataTest::reflection)
                .collect(Collectors.joining(",\n", "  \"reflection\": [\n", ",\n"))
            + "    { \"type\": \"%s$Bean\" },\n".formatted(PoolBean.class.getName())
            + "    { \"type\": { \"proxy\": [\"%s\"] } }\n  ]\n"
                .formatted(PoolMXBean.class.getName());
    assertThat(metadata()).contains(expected);
  }

  private static String reflection(Class<?> type) {
    return Stream.of(type.getDeclaredMethods())
        .sorted(Comparator.comparing(Method::getName))
        .map(method -> {
          assertThat(method.getParameterTypes()).isEmpty();
          return "        { \"name\": \"%s\", \"parameterTypes\": [] }".formatted(method.getName());
        })
        .collect(
            Collectors.joining(
                ",\n",
                "    {\n      \"type\": \"%s\",\n      \"methods\": [\n".formatted(type.getName()),
                "\n      ]\n    }"));
  }

  @Test
  void aNativeImageIsToldOfEveryCallIntoTheCLibrary() throws IOException {
    String expected =
        Stream.of(CFunction.values())
            .map(NativeImageMetadataTest::downcall)
            .distinct()
            .collect(
                Collectors.joining(
                    ",\n", "{\n  \"foreign\": {\n    \"downcalls\": [\n", "\n    ]\n  },\n"));
    assertThat(metadata()).startsWith(expected);
  }

  private static String metadata() throws IOException {
    try (InputStream resource =
        requireNonNull(NativeImageMetadataTest.class.getResourceAsStream(RESOURCE))) {
      return new String(resource.readAllBytes(), StandardCharsets.UTF_8);
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
