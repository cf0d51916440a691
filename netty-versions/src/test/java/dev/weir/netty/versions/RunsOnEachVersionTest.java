package dev.weir.netty.versions;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Weir in a JVM of its own with each version of Netty. */
class RunsOnEachVersionTest {
  @ParameterizedTest
  @EnumSource
  void allOfItRuns(NettyVersion version) throws Exception {
    String output = ChildJvm.run(ClassPath.with(version), VersionProgram.class);

    String number = version.number() + ".Final";
    assertThat(output.lines())
        .containsSubsequence(
            "Netty: " + number,
            "no class lacks anything",
            "the allocator serves an event loop",
            "epoll: "
                + refusal(version, "WeirEpollIoHandler", "LazyEpollHandle", "4.2.13", "epoll"),
            "io_uring: "
                + refusal(
                    version, "WeirIoUringIoHandler", "WeirIoUringIoHandler", "4.2.14", "io_uring"));
    assertThat(output).doesNotContain("LEAK");
  }

  /** None where that part of the handler links which needs most. */
  private static String refusal(
      NettyVersion version, String handler, String part, String least, String transport) {
    if (!version.unlinked().contains(part)) {
      return "none";
    }
    boolean noArtifact = transport.equals("io_uring") && version.number().startsWith("4.1");
    return "%s needs Netty %s or later, and found %s %s.Final: upgrade all of Netty's modules (by netty-bom), or use Netty's NIO"
        .formatted(
            handler,
            least,
            noArtifact ? "netty-transport" : "netty-transport-classes-" + transport,
            version.number());
  }
}
