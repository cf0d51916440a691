package dev.weir.netty.transport;

import io.netty.channel.Channel;
import io.netty.util.Version;
import java.lang.module.ModuleDescriptor;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The least version of Netty for each I/O handler. The rest of Weir works from 4.1.100 on. */
enum LeastNetty {
  EPOLL("WeirEpollIoHandler", "netty-transport-classes-epoll", "4.2.13"),
  IO_URING("WeirIoUringIoHandler", "netty-transport-classes-io_uring", "4.2.14");

  private final String handler;
  private final String artifact;
  private final String least;

  LeastNetty(String handler, String artifact, String least) {
    this.handler = handler;
    this.artifact = artifact;
    this.least = least;
  }

  /**
   * Checks the version that is there.
   *
   * @throws UnsupportedOperationException if it is older; tells both versions and what to do
   */
  void require() {
    UnsupportedOperationException refusal = refusal();
    if (refusal != null) {
      throw refusal;
    }
  }

  /** What {@link #require} throws; null if nothing. */
  @Nullable UnsupportedOperationException refusal() {
    return refusal(Version.identify(Channel.class.getClassLoader()));
  }

  /**
   * The same for the versions that Netty's jars tell. An application packed into one jar may have
   * lost them: nothing is refused there.
   */
  @Nullable UnsupportedOperationException refusal(Map<String, Version> versions) {
    // Netty 4.1 has no artifact for io_uring.
    Version found = versions.getOrDefault(artifact, versions.get("netty-transport"));
    if (found == null || isEnough(found.artifactVersion())) {
      return null;
    }
    return new UnsupportedOperationException(
        "%s needs Netty %s or later, and found %s %s: upgrade all of Netty's modules (by netty-bom), or use Netty's NIO"
            .formatted(handler, least, found.artifactId(), found.artifactVersion()));
  }

  private boolean isEnough(String version) {
    return ModuleDescriptor.Version.parse(version).compareTo(ModuleDescriptor.Version.parse(least))
        >= 0;
  }
}
