package dev.weir.netty.versions;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/** A version of Netty that Weir works with; the build has put its jars into a folder. */
enum NettyVersion {
  V4_1_100(
      "4.1.100",
      "ForwardingIoHandler",
      "RefillAllocator",
      "LazyEpollHandle",
      "WeirEpollIoHandler",
      "WeirIoUringIoHandler"),
  V4_1_137(
      "4.1.137",
      "ForwardingIoHandler",
      "RefillAllocator",
      "LazyEpollHandle",
      "WeirEpollIoHandler",
      "WeirIoUringIoHandler"),
  V4_2_0(
      "4.2.0", "ForwardingIoHandler", "RefillAllocator", "LazyEpollHandle", "WeirIoUringIoHandler"),
  /** Spring Boot 4.0.0 manages it. */
  V4_2_7("4.2.7", "LazyEpollHandle", "WeirIoUringIoHandler"),
  /** The first with all that epoll needs. */
  V4_2_13("4.2.13", "WeirIoUringIoHandler"),
  /** The first with all that io_uring needs. */
  V4_2_14("4.2.14"),
  /** The one that the build compiles with. */
  V4_2_18("4.2.18"),
  V4_2_19("4.2.19");

  private final String number;
  private final Set<String> unlinked;

  NettyVersion(String number, String... unlinked) {
    this.number = number;
    this.unlinked = Set.of(unlinked);
  }

  /** Such as 4.1.100. */
  String number() {
    return number;
  }

  /** Classes of {@code dev.weir.netty.transport}, by simple name, that need a later Netty. */
  Set<String> unlinked() {
    return unlinked;
  }

  List<Path> jars() {
    return jarsIn(Path.of("target", "netty", number));
  }

  /** Netty's published tests of its buffers, of this version. */
  List<Path> bufferTests() {
    return jarsIn(Path.of("target", "netty-tests", number));
  }

  private static List<Path> jarsIn(Path folder) {
    try (Stream<Path> files = Files.list(folder)) {
      return files.filter(file -> file.toString().endsWith(".jar")).sorted().toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public String toString() {
    return number;
  }
}
