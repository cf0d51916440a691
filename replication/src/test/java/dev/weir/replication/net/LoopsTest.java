package dev.weir.replication.net;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class LoopsTest {
  @Test
  void openConnectionsHearOfTheEndEvenIfTheirLoopRunsTasksWhenItBegins() throws Exception {
    CountDownLatch active = new CountDownLatch(1);
    CountDownLatch inactive = new CountDownLatch(1);
    CountDownLatch busy = new CountDownLatch(1);
    Loops loops = new Loops("test", 1);
    Channel listener =
        new ServerBootstrap()
            .group(loops.group())
            .channel(loops.listeners())
            .childHandler(
                new ChannelInitializer<>() {
                  @Override
                  protected void initChannel(Channel channel) {
                    loops.own(channel);
                    channel.pipeline().addLast(new Watch(active, inactive));
                  }
                })
            .bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
            .syncUninterruptibly()
            .channel();
    try (Socket _ =
        new Socket(
            InetAddress.getLoopbackAddress(),
            ((InetSocketAddress) listener.localAddress()).getPort())) {
      assertThat(active.await(60, TimeUnit.SECONDS)).isTrue();
      loops
          .group()
          .execute(() -> {
            busy.countDown();
            while (!loops.group().isShuttingDown()) {
              Thread.onSpinWait();
            }
          });
      assertThat(busy.await(60, TimeUnit.SECONDS)).isTrue();
      loops.close();
      assertThat(inactive.getCount()).isZero();
    }
  }

  private static final class Watch extends ChannelInboundHandlerAdapter {
    private final CountDownLatch active;
    private final CountDownLatch inactive;

    Watch(CountDownLatch active, CountDownLatch inactive) {
      this.active = active;
      this.inactive = inactive;
    }

    @Override
    public void channelActive(ChannelHandlerContext ctx) {
      active.countDown();
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
      inactive.countDown();
    }
  }
}
