/** Objects in an S3-compatible service, for the log's store. */
@SuppressWarnings("module") // its name ends as that of the protocol
module dev.weir.objects.s3 {
  requires static org.jspecify;
  requires transitive dev.weir.streams;
  requires transitive io.netty.buffer;
  requires io.netty.codec;
  requires io.netty.codec.http;
  requires io.netty.common;
  requires io.netty.handler;
  requires io.netty.transport;
  requires org.reactivestreams;
  requires software.amazon.awssdk.auth;
  requires software.amazon.awssdk.awscore;
  requires software.amazon.awssdk.core;
  requires software.amazon.awssdk.http;
  requires software.amazon.awssdk.identity.spi;
  requires software.amazon.awssdk.regions;
  requires software.amazon.awssdk.retries;
  requires software.amazon.awssdk.retries.api;
  requires software.amazon.awssdk.services.s3;
  requires software.amazon.awssdk.utils;

  exports dev.weir.objects.s3;
}
