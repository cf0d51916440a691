package dev.weir.netty.transport;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.util.Version;
import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LeastNettyTest {
  @TempDir private Path classPath;

  @ParameterizedTest
  @CsvSource({
    "4.1.137.Final, false",
    "4.2.2.Final, false",
    "4.2.12.Final, false",
    "4.2.13.Final, true",
    "4.2.14.Final-SNAPSHOT, true",
    "4.2.100.Final, true",
    "4.10.0.Final, true",
    "5.0.0.Alpha1, true"
  })
  void versionsAreComparedByNumber(String version, boolean enough) throws IOException {
    assertThat(LeastNetty.EPOLL.refusal(found(version)) == null).isEqualTo(enough);
  }

  @Test
  void theRefusalTellsBothVersionsAndWhatToDo() throws IOException {
    assertThat(LeastNetty.EPOLL.refusal(found("4.2.7.Final")))
        .hasMessage(
            "WeirEpollIoHandler needs Netty 4.2.13 or later, and found"
                + " netty-transport-classes-epoll 4.2.7.Final: upgrade all of Netty's modules (by"
                + " netty-bom), or use Netty's NIO");
  }

  @Test
  void aJarThatHasLostTheVersionsIsNotRefused() {
    assertThat(LeastNetty.IO_URING.refusal(Map.of())).isNull();
  }

  /** What Netty reads of a jar of this version. */
  private Map<String, Version> found(String version) throws IOException {
    String artifact = "netty-transport-classes-epoll.";
    Path properties = classPath.resolve("META-INF/io.netty.versions.properties");
    Files.createDirectories(properties.getParent());
    Files.writeString(
        properties,
        artifact
            + "version="
            + version
            + "\n"
            + artifact
            + "buildDate=2026-01-01 00:00:00 +0000\n"
            + artifact
            + "commitDate=2026-01-01 00:00:00 +0000\n"
            + artifact
            + "shortCommitHash=0\n"
            + artifact
            + "longCommitHash=0\n"
            + artifact
            + "repoStatus=clean\n");
    try (URLClassLoader loader =
        new URLClassLoader(new URL[] {classPath.toUri().toURL()}, /* parent= */ null)) {
      return Version.identify(loader);
    }
  }
}
