package dev.weir.replication.client;

import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpMethod;
import java.util.function.Consumer;

/** A request without a body, whose answer is a short text: it ends as {@code Other}. */
public class ShortExchange implements Exchange {
  private final HttpMethod method;
  private final String path;
  private final Consumer<Ending> onEnd;

  /** Tells of its end on the connection's event loop. */
  public ShortExchange(HttpMethod method, String path, Consumer<Ending> onEnd) {
    this.method = method;
    this.path = path;
    this.onEnd = onEnd;
  }

  @Override
  public HttpMethod method() {
    return method;
  }

  @Override
  public String path() {
    return path;
  }

  @Override
  public void headers(HttpHeaders headers) {
    // The path says all.
  }

  @Override
  public boolean accepts(int status, HttpHeaders headers) {
    return false;
  }

  @Override
  public void accept(ByteBuf part) {
    throw new IllegalStateException("nothing is taken in parts");
  }

  @Override
  public void ended(Ending ending) {
    onEnd.accept(ending);
  }
}
