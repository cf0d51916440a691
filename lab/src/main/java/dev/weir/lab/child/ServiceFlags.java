package dev.weir.lab.child;

import java.util.List;
import java.util.stream.Stream;

/** The JVM flags of a service under test: the same for every allocator. */
public final class ServiceFlags {
  private ServiceFlags() {}

  /**
   * A small Java heap that is resident from the start, so that what is measured grows by buffers
   * alone, and direct memory within a limit.
   *
   * @param others flags of one scenario
   */
  public static List<String> within(long directBytes, String... others) {
    return Stream.concat(
            Stream.of(
                "--enable-native-access=ALL-UNNAMED",
                "-XX:+UseSerialGC",
                "-Xms96m",
                "-Xmx96m",
                "-XX:+AlwaysPreTouch",
                "-XX:MaxDirectMemorySize=" + directBytes,
                "-Dio.netty.maxDirectMemory=" + directBytes),
            Stream.of(others))
        .toList();
  }
}
