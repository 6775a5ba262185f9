delete from album_label;
delete from label;
delete from track;
delete from album;
update artist set mentor = null;
delete from artist;
insert into artist (id, name, country, mentor) values
  (1, 'Clara', 'de', null), (2, 'Johannes', 'de', 1), (3, 'Amy', 'us', 1), (4, 'Nobody', null, null);
insert into album (id, title, year, price, published, artist) values
  (1, 'Trio', 1846, 12.50, true, 1), (2, 'Sonata', 1853, 9.99, true, 2), (3, 'Requiem', 1868, 19.00, false, 2), (4, 'Mass', null, 9.99, false, null);
insert into track (album, place, title, seconds) values
  (1, 1, 'Allegro', 700), (1, 2, 'Scherzo', 300), (1, 3, 'Andante', null), (2, 1, 'Allegro', 600), (3, 1, 'Selig sind', 640);
insert into label (code, note) values ('chamber', 'Few players'), ('choir', null);
insert into album_label (album, label, position) values (1, 'chamber', 2), (2, 'chamber', 1), (3, 'choir', null);
