package dev.weir.netty.versions;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** All that Weir refers to is in each version of Netty, except for what the I/O handlers need. */
class LinkTest {
  private static final String TRANSPORT = "dev/weir/netty/transport/";

  @ParameterizedTest
  @EnumSource
  void nothingIsMissing(NettyVersion version) throws IOException {
    List<String> missing = new ArrayList<>();
    Set<String> unlinked = new TreeSet<>();
    try (URLClassLoader files = files(version)) {
      Linker linker = new Linker(files);
      for (String module : List.of("netty", "compression")) {
        for (String name : ClassPath.classes(ClassPath.weir(module)).keySet()) {
          for (String reference : linker.missing(name)) {
            if (name.startsWith(TRANSPORT)) {
              unlinked.add(name.substring(TRANSPORT.length()).replaceAll("\\$.*", ""));
            } else {
              missing.add(name + " refers to " + reference);
            }
          }
        }
      }
    }

    assertThat(missing).isEmpty();
    assertThat(unlinked).as("I/O handlers that need a later one").isEqualTo(version.unlinked());
  }

  @Test
  void aMissingClassFieldAndMethodIsFound() throws IOException {
    try (URLClassLoader files = files(NettyVersion.V4_1_137)) {
      assertThat(new Linker(files).missing(TRANSPORT + "LazyEpollHandle$Interest"))
          .contains(
              "io/netty/channel/epoll/EpollIoOps",
              "io/netty/channel/epoll/EpollIoOps.EPOLLET Lio/netty/channel/epoll/EpollIoOps;",
              "io/netty/channel/IoRegistration.cancel ()Z");
    }
  }

  private static URLClassLoader files(NettyVersion version) throws IOException {
    List<URL> urls = new ArrayList<>();
    for (Path entry : ClassPath.with(version)) {
      urls.add(entry.toUri().toURL());
    }
    return new URLClassLoader(urls.toArray(URL[]::new), ClassLoader.getPlatformClassLoader());
  }

  @Test
  void allOfAVersionIsOfThatVersion() {
    for (NettyVersion version : NettyVersion.values()) {
      assertThat(version.jars())
          .hasSizeGreaterThanOrEqualTo(10)
          .allMatch(jar -> jar.toString().endsWith("-" + version.number() + ".Final.jar"));
    }
  }
}
