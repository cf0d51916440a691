package dev.weir.netty.versions;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;

/** A JVM with a class path of its own. */
final class ChildJvm {
  private ChildJvm() {}

  /**
   * Runs a class to its end, which has to be without an error.
   *
   * @return what it has written
   */
  static String run(List<Path> classPath, Class<?> main) throws IOException, InterruptedException {
    List<String> command =
        List.of(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "--enable-native-access=ALL-UNNAMED",
            "--sun-misc-unsafe-memory-access=allow",
            "-XX:+UseSerialGC",
            "-XX:TieredStopAtLevel=1",
            "-Xmx512m",
            "-cp",
            classPath.stream().map(Path::toString).collect(Collectors.joining(File.pathSeparator)),
            main.getName());
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String output = new String(process.getInputStream().readAllBytes());

    assertThat(process.waitFor()).as(output).isZero();
    return output;
  }
}
