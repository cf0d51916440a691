package dev.weir.netty.write;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufHolder;
import io.netty.buffer.DefaultByteBufHolder;
import io.netty.channel.AddressedEnvelope;
import io.netty.channel.DefaultAddressedEnvelope;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.DefaultHttpContent;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.util.AbstractReferenceCounted;
import io.netty.util.ReferenceCountUtil;
import io.netty.util.ReferenceCounted;
import java.net.InetSocketAddress;

/** A message of every kind that a pipeline may be given, around the memory that a test counts. */
enum SentMessage {
  BUFFER {
    @Override
    Owned own(ByteBuf content) {
      return Owned.of(content);
    }
  },
  SHARED_MEMORY {
    @Override
    Owned own(ByteBuf content) {
      ByteBuf shared = content.retainedDuplicate();
      content.release();
      return Owned.of(shared);
    }
  },
  HTTP_CONTENT {
    @Override
    Owned own(ByteBuf content) {
      return Owned.of(new DefaultHttpContent(content));
    }
  },
  FULL_HTTP_RESPONSE {
    @Override
    Owned own(ByteBuf content) {
      return Owned.of(
          new DefaultFullHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.OK, content));
    }
  },
  CUSTOM_HOLDER {
    @Override
    Owned own(ByteBuf content) {
      return Owned.of(new CustomHolder(content));
    }
  },
  CUSTOM_COUNTED {
    @Override
    Owned own(ByteBuf content) {
      return Owned.of(new CustomCounted(content));
    }
  },
  RECORD {
    @Override
    Owned own(ByteBuf content) {
      return Owned.build(parts -> new Frame(7, parts.take(content)));
    }
  },
  /** A holder with a count and more memory of its own, as Netty's for memcache are. */
  KEYED_HOLDER {
    @Override
    Owned own(ByteBuf content) {
      return Owned.of(new KeyedHolder(content.retainedSlice(0, 10), content));
    }
  },
  ENVELOPE_OF_HTTP_CONTENT {
    @Override
    Owned own(ByteBuf content) {
      return Owned.of(
          new DefaultAddressedEnvelope<>(
              new DefaultHttpContent(content), new InetSocketAddress(1)));
    }
  },
  RECORD_OF_HTTP_CONTENT {
    @Override
    Owned own(ByteBuf content) {
      return Owned.build(parts -> new Wrapped(new DefaultHttpContent(parts.take(content))));
    }
  },
  FILE_REGION {
    @Override
    Owned own(ByteBuf content) {
      return Owned.of(new MemoryRegion(content));
    }
  },
  CHUNKED_INPUT {
    @Override
    Owned own(ByteBuf content) {
      return Owned.of(new MemoryInput(content));
    }
  },
  RELEASED_BY_THE_SENDER {
    @Override
    Owned own(ByteBuf content) {
      return Owned.of(new Frame(7, content.asReadOnly()), frame -> frame.payload().release());
    }
  };

  abstract Owned own(ByteBuf content);

  /** Whether a handler that lets go of the message releases it. */
  boolean isForThePipelineToRelease() {
    return this != RELEASED_BY_THE_SENDER;
  }

  /** A message of the application's own that is no {@link ReferenceCounted}. */
  record Frame(int id, ByteBuf payload) {}

  /** One around a message that has the memory. */
  record Wrapped(DefaultHttpContent content) {}

  /** A holder that inherits {@code replace}. */
  static final class CustomHolder extends DefaultByteBufHolder {
    CustomHolder(ByteBuf content) {
      super(content);
    }
  }

  static class CustomCounted extends AbstractReferenceCounted {
    final ByteBuf content;

    CustomCounted(ByteBuf content) {
      this.content = content;
    }

    @Override
    protected void deallocate() {
      content.release();
    }

    @Override
    public ReferenceCounted touch(Object hint) {
      return this;
    }
  }

  static final class KeyedHolder extends AbstractReferenceCounted implements ByteBufHolder {
    private final ByteBuf key;
    private final ByteBuf content;

    KeyedHolder(ByteBuf key, ByteBuf content) {
      this.key = key;
      this.content = content;
    }

    @Override
    public ByteBuf content() {
      return content;
    }

    @Override
    public ByteBufHolder copy() {
      return new KeyedHolder(key.copy(), content.copy());
    }

    @Override
    public ByteBufHolder duplicate() {
      throw new UnsupportedOperationException();
    }

    @Override
    public ByteBufHolder retainedDuplicate() {
      return replace(content.retainedDuplicate());
    }

    @Override
    public ByteBufHolder replace(ByteBuf other) {
      return new KeyedHolder(key.retainedDuplicate(), other);
    }

    @Override
    protected void deallocate() {
      key.release();
      content.release();
    }

    @Override
    public KeyedHolder retain() {
      super.retain();
      return this;
    }

    @Override
    public KeyedHolder retain(int increment) {
      super.retain(increment);
      return this;
    }

    @Override
    public KeyedHolder touch() {
      return this;
    }

    @Override
    public KeyedHolder touch(Object hint) {
      return this;
    }
  }

  static ByteBuf content(Object message) {
    return switch (message) {
      case ByteBuf buffer -> buffer;
      case ByteBufHolder holder -> holder.content();
      case Frame frame -> frame.payload();
      case Wrapped wrapped -> wrapped.content().content();
      case AddressedEnvelope<?, ?> envelope -> content(envelope.content());
      case CustomCounted counted -> counted.content;
      case MemoryRegion region -> region.content();
      default -> throw new AssertionError(message);
    };
  }

  static void retain(Object message) {
    switch (message) {
      case Frame frame -> frame.payload().retain();
      case Wrapped wrapped -> wrapped.content().retain();
      default -> ReferenceCountUtil.retain(message);
    }
  }

  static void release(Object message) {
    switch (message) {
      case Frame frame -> frame.payload().release();
      case Wrapped wrapped -> wrapped.content().release();
      default -> Unwritten.release(message);
    }
  }
}
