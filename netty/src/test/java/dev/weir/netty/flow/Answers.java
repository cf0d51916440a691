package dev.weir.netty.flow;

import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.util.ReferenceCountUtil;
import java.util.List;

/** How the bodies of a world are answered, and what can happen to the answers. */
interface Answers {
  /** Whole requests give their memory back, and have an answer that waits for nothing. */
  Answers AT_ONCE =
      new Answers() {
        @Override
        public ChannelHandler handler(Channel channel, int index) {
          return new ChannelInboundHandlerAdapter() {
            @Override
            public void channelRead(ChannelHandlerContext ctx, Object message) {
              ReferenceCountUtil.release(message);
              ctx.writeAndFlush(
                  new DefaultFullHttpResponse(
                      HttpVersion.HTTP_1_1, HttpResponseStatus.OK, Unpooled.EMPTY_BUFFER));
            }
          };
        }

        @Override
        public List<Integer> events() {
          return List.of();
        }

        @Override
        public void happen(int event) {}

        @Override
        public boolean areDone() {
          return true;
        }

        @Override
        public boolean isKept(int index) {
          return false;
        }

        @Override
        public void check() {}

        @Override
        public String state() {
          return "";
        }
      };

  /** The first of their events. */
  int FIRST_EVENT = 40;

  /** What answers the requests of a channel, behind all its other handlers. */
  ChannelHandler handler(Channel channel, int index);

  /** What can happen to answers now. */
  List<Integer> events();

  void happen(int event);

  boolean areDone();

  /** Whether a peer that takes nothing keeps the memory of a body. */
  boolean isKept(int index);

  /** Fails if what must hold in every state does not. */
  void check();

  /** All that decides what can happen to answers from now on. */
  String state();
}
