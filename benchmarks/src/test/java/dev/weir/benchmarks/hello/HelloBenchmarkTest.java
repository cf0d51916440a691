package dev.weir.benchmarks.hello;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.benchmarks.hello.HelloBenchmark.Service;
import dev.weir.benchmarks.peer.Peer;
import dev.weir.benchmarks.peer.Peer.Family;
import dev.weir.benchmarks.peer.PeerAllocator;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class HelloBenchmarkTest {

  static Stream<Peer> peersWithBuffers() {
    return Arrays.stream(Peer.values()).filter(Peer::isTracked);
  }

  @ParameterizedTest
  @MethodSource("peersWithBuffers")
  void everyServerOfWeirsHasGatesAndNoOther(Peer peer) {
    PeerAllocator opened = peer.open();
    List<String> handlers =
        Stream.of(Service.gates(opened).get())
            .map(handler -> handler.getClass().getName())
            .toList();
    if (peer.family() == Family.WEIR) {
      assertThat(handlers).hasSize(2);
      assertThat(handlers.getFirst()).contains("netty.flow");
      assertThat(handlers.getLast()).contains("netty.write");
    } else {
      assertThat(handlers).isEmpty();
    }
  }
}
