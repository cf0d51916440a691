package dev.weir.netty.versions;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What the published tests of Netty 4.1 ask of a buffer and of an allocator is asked of Weir's. */
class Netty41BufferTest {
  /** 413 of a buffer, for direct and heap buffers, and 8 of an allocator. */
  private static final int CASES = 2 * 413 + 8;

  @Test
  void allPass() throws Exception {
    NettyVersion version = NettyVersion.V4_1_137;
    List<Path> classPath = new ArrayList<>(ClassPath.with(version));
    classPath.addAll(version.bufferTests());

    String output = ChildJvm.run(classPath, BufferTestsProgram.class);
    assertThat(lines(output, "FAILED ")).as(output).isEmpty();
    assertThat(lines(output, "ABORTED ", "SKIPPED ")).isEmpty();
    assertThat(lines(output, "SUCCESSFUL ")).hasSize(CASES);
    assertThat(lines(output, "live: ")).containsExactly("live: 0 0");
  }

  private static Stream<String> lines(String output, String... starts) {
    return output.lines().filter(line -> Stream.of(starts).anyMatch(line::startsWith));
  }
}
